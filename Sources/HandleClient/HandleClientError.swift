/// The reason why a call has no result. None of these means that a name is available.
public enum HandleClientError: Error, Sendable {
    /// The service answered with a problem.
    case problem(HandleProblem)
    /// The service refused a person's token, and then also the new token that the credential returned. Signing in again
    /// does not help: the configurations of the service and of the app don't fit together.
    case newTokenRejected(HandleProblem)
    /// There is no connection. The service did not get the last request.
    case unreachable
    /// No complete response arrived. The service may have made the change: retry a write with the same
    /// `Idempotency-Key`.
    case answerLost
    /// A response that is not the service's, such as a proxy's error page, or one about another name.
    case unreadable(status: Int, retryAfter: Duration? = nil)
    /// A redirect, which is not followed. The address of the service may be wrong.
    case redirected(status: Int)
    /// The credential's closure threw this error instead of returning a token.
    case noToken(any Error)
    /// The call can't be made; the text says what to change.
    case invalidCall(String)
    case cancelled

    /// The problem, if the service answered with one.
    public var problem: HandleProblem? {
        switch self {
        case .problem(let problem), .newTokenRejected(let problem): problem
        default: nil
        }
    }

    /// The reasons why the name is unavailable, if the call was refused for that.
    public var reasons: [HandleReason] { problem?.reasons ?? [] }

    /// Whether the same call may succeed later. Retry a write with the same `Idempotency-Key`.
    public var isTransient: Bool {
        switch self {
        case .problem(let problem): problem.isTransient
        case .unreachable, .answerLost, .unreadable, .redirected: true
        case .newTokenRejected, .noToken, .invalidCall, .cancelled: false
        }
    }

    /// The pause before a retry that the service, or a proxy before it, asks for.
    public var retryAfter: Duration? {
        switch self {
        case .problem(let problem), .newTokenRejected(let problem): problem.retryAfter
        case .unreadable(_, let pause): pause
        case .unreachable, .answerLost, .redirected, .noToken, .invalidCall, .cancelled: nil
        }
    }
}

extension HandleClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .problem(let problem): problem.description
        case .newTokenRejected(let problem):
            "the registry refuses a token that is new; compare the issuer's entry in HANDLES_TOKEN_ISSUERS (audience, "
                + "keys) with the app's tokens, and the clocks (\(problem))"
        case .unreachable: "the registry can't be reached"
        case .answerLost: "the registry's answer was lost"
        case .unreadable(let status, _): "an answer with status \(status) is not one of the registry"
        case .redirected(let status): "an answer with status \(status) leads elsewhere, and is not followed"
        case .noToken(let error): "there is no token: \(error)"
        case .invalidCall(let text): text
        case .cancelled: "cancelled"
        }
    }
}
