import Debouncing
public import HandleClient
import HandleRules
import Sessions

/// The reason why a call of the onboarding failed, as far as it affects the next step.
public enum CallFailure: Error, Sendable, Hashable {
    /// The name is unavailable.
    case refused([HandleReason])
    /// Transient: the call may succeed later, and may have taken effect.
    case passing(retryAfter: Duration?)
    /// The person has to sign in.
    case signedOut
    /// The registry does not accept the app's tokens. Signing in again does not help.
    case misconfigured(Misconfiguration)
    /// The call will fail again; the text is for the app's log.
    case lasting(String)

    /// The reason why the registry does not accept the app's tokens. The description is for the app's log.
    public enum Misconfiguration: String, Sendable, Hashable, CustomStringConvertible {
        /// The registry accepts no tokens.
        case tokensNotAccepted
        /// The registry does not trust the issuer.
        case unknownIssuer
        /// The registry refuses a token that is new.
        case newTokenRejected

        public var description: String {
            switch self {
            case .tokensNotAccepted:
                "the registry accepts no identity tokens; set HANDLES_TOKEN_ISSUERS (docs/tokens.md)"
            case .unknownIssuer:
                "the registry does not trust the app's issuer; add it to the file in HANDLES_TOKEN_ISSUERS"
            case .newTokenRejected:
                "the registry refuses a token that is new; compare the issuer's entry in HANDLES_TOKEN_ISSUERS "
                    + "(audience, keys) with the app's tokens, and the clocks"
            }
        }
    }

    public init(_ error: any Error) {
        switch error {
        case let failure as CallFailure: self = failure
        case let error as HandleClientError: self.init(error)
        case let error as SessionError: self.init(error)
        // Another call of the same validator superseded it.
        case is DebouncingError: self = .passing(retryAfter: nil)
        default: self = .lasting("\(error)")
        }
    }

    private init(_ error: HandleClientError) {
        switch error {
        case _ where error.problem?.code == .tokensNotAccepted: self = .misconfigured(.tokensNotAccepted)
        case _ where error.problem?.code == .unknownIssuer: self = .misconfigured(.unknownIssuer)
        case .newTokenRejected: self = .misconfigured(.newTokenRejected)
        // The token is old, and the app has no newer one.
        case .problem(let problem) where problem.status == 401: self = .signedOut
        case .problem(let problem) where !problem.reasons.isEmpty: self = .refused(problem.reasons)
        case .noToken(let cause as SessionError): self.init(cause)
        case _ where error.isTransient: self = .passing(retryAfter: error.retryAfter)
        case .cancelled: self = .passing(retryAfter: nil)
        default: self = .lasting(error.description)
        }
    }

    private init(_ error: SessionError) {
        switch error {
        case .signedOut, .noRefreshToken, .superseded: self = .signedOut
        case .newTokenRejected: self = .misconfigured(.newTokenRejected)
        case .unreachable(let pause): self = .passing(retryAfter: pause)
        case .timedOut, .storage, .cancelled: self = .passing(retryAfter: nil)
        }
    }

    /// The pause before a retry after this number of consecutive failures: a second, doubled each time, at most half a
    /// minute unless the service asks for more.
    static func pause(after failures: Int, atLeast least: Duration?) -> Duration {
        max(least ?? .zero, min(.seconds(1 << min(max(failures - 1, 0), 10)), .seconds(30)))
    }
}
