public import Foundation
import HTTPLoading

/// The reason why a call has no result. No error means that a name is available.
///
/// ``code`` says what happened, ``description`` is for logs, and `localizedDescription` is a sentence for the person in
/// English.
public struct HandleClientError: LocalizedError {
    /// The kind of the failure.
    public let code: Code
    /// The problem, if the service answered with one.
    public let problem: HandleProblem?
    /// The status of the response, if there was one.
    public let status: Int?
    /// The pause before a retry that the service, or a proxy before it, asks for.
    public let retryAfter: Duration?
    /// The error that the credential's closure threw instead of returning a token.
    public let cause: (any Error)?
    private let detail: String?

    private init(
        _ code: Code, problem: HandleProblem? = nil, status: Int? = nil, retryAfter: Duration? = nil,
        cause: (any Error)? = nil, detail: String? = nil
    ) {
        self.code = code
        self.problem = problem
        self.status = problem?.status ?? status
        self.retryAfter = problem?.retryAfter ?? retryAfter
        self.cause = cause
        self.detail = detail
    }

    /// The kind of a failure. Versions may add codes, so a `switch` over a code needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The service answered with a problem.
        public static let problem = Code("problem")
        /// The service refused a person's token, and then also the new token that the credential returned. Signing in
        /// again does not help: the configurations of the service and of the app don't fit together.
        public static let newTokenRejected = Code("new_token_rejected")
        /// There is no connection. The service did not get the last request.
        public static let unreachable = Code("unreachable")
        /// No complete response arrived. The service may have made the change: retry a write with the same
        /// `Idempotency-Key`.
        public static let answerLost = Code("answer_lost")
        /// A response that is not the service's, such as a proxy's error page, or one about another name.
        public static let unreadable = Code("unreadable")
        /// A redirect, which is not followed. The address of the service may be wrong.
        public static let redirected = Code("redirected")
        /// The credential's closure threw ``HandleClientError/cause`` instead of returning a token.
        public static let noToken = Code("no_token")
        /// The call can't be made; the description says what to change.
        public static let invalidCall = Code("invalid_call")
        /// The task was cancelled.
        public static let cancelled = Code("cancelled")
    }

    /// The reasons why the name is unavailable, if the call was refused for that.
    public var reasons: [HandleReason] { problem?.reasons ?? [] }

    /// Whether the same call may succeed later. Retry a write with the same `Idempotency-Key`.
    public var isTransient: Bool {
        switch code {
        case .unreachable, .answerLost, .unreadable, .redirected: true
        case .problem: problem?.isTransient ?? false
        default: false
        }
    }
}

extension HandleClientError {
    /// The error with the code ``Code/unreachable``, for a ``Transport``.
    public static let unreachable = HandleClientError(.unreachable)
    /// The error with the code ``Code/answerLost``, for a ``Transport``.
    public static let answerLost = HandleClientError(.answerLost)
    /// The error with the code ``Code/cancelled``, for a ``Transport``.
    public static let cancelled = HandleClientError(.cancelled)

    /// The error with the code ``Code/problem``; status and pause are those of the problem.
    public static func problem(_ problem: HandleProblem) -> HandleClientError {
        HandleClientError(.problem, problem: problem)
    }

    static func newTokenRejected(_ problem: HandleProblem) -> HandleClientError {
        HandleClientError(.newTokenRejected, problem: problem)
    }

    static func unreadable(status: Int, retryAfter: Duration? = nil) -> HandleClientError {
        HandleClientError(.unreadable, status: status, retryAfter: retryAfter)
    }

    static func redirected(status: Int) -> HandleClientError { HandleClientError(.redirected, status: status) }

    static func noToken(_ cause: any Error) -> HandleClientError { HandleClientError(.noToken, cause: cause) }

    static func invalidCall(_ text: String) -> HandleClientError { HandleClientError(.invalidCall, detail: text) }
}

extension HandleClientError: CustomStringConvertible {
    public var description: String {
        switch code {
        case .problem: problem?.description ?? code.description
        case .newTokenRejected:
            "the registry refuses a token that is new; compare the issuer's entry in HANDLES_TOKEN_ISSUERS (audience, "
                + "keys) with the app's tokens, and the clocks" + (problem.map { " (\($0))" } ?? "")
        case .unreachable: "the registry can't be reached"
        case .answerLost: "the registry's answer was lost"
        case .unreadable: "an answer\(withStatus) is not one of the registry"
        case .redirected: "an answer\(withStatus) leads elsewhere, and is not followed"
        case .noToken: "there is no token: \(cause.map { "\($0)" } ?? "without a reason")"
        default: detail ?? code.description
        }
    }

    private var withStatus: String { status.map { " with status \($0)" } ?? "" }

    /// A sentence for the person, in English.
    public var errorDescription: String? {
        switch code {
        case .problem: problem?.sentence
        case .newTokenRejected: HandleProblem.tokenRefused
        case .unreachable, .answerLost, .unreadable, .redirected: HandleProblem.unreachable(retryAfter)
        case .noToken: cause?.localizedDescription
        case .cancelled: "The request was cancelled."
        default: HandleProblem.fault
        }
    }
}

extension HandleProblem {
    fileprivate static let tokenRefused =
        "The service for handles does not accept your sign-in, although it is new. Signing in again does not help. "
        + "Try again later."
    fileprivate static let fault = "Something went wrong on our side. Try again later."

    fileprivate static func unreachable(_ retryAfter: Duration?) -> String {
        "We can't reach the service for handles. " + Duration.tryAgain(after: retryAfter)
    }

    /// A sentence for the person, in English.
    fileprivate var sentence: String {
        switch code {
        case _ where !reasons.isEmpty: reasons.map(\.sentence).joined(separator: " ")
        case .tokensNotAccepted:
            "The service for handles is not set up for sign-ins. Signing in again does not help. Try again later."
        case .unknownIssuer:
            "The service for handles does not know the service that you signed in with. Signing in again does not help. "
                + "Try again later."
        case .rateLimited: "That was too often. " + Duration.tryAgain(after: retryAfter)
        case .holdPaused: "You held this name a moment ago. " + Duration.tryAgain(after: retryAfter)
        case .noSuchHandle: "There is no such handle."
        case .notTheirs, .notYourOwn: "This handle belongs to another account."
        case .displayMismatch: "The handle and its capitals are two different names."
        default:
            switch status {
            case 401: "Your session has ended. Sign in again."
            case 403: "Your account may not do this."
            case _ where isTransient: Self.unreachable(retryAfter)
            default: Self.fault
            }
        }
    }
}
