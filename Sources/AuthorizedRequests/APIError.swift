public import Foundation
import HTTPLoading
public import Sessions

/// The reason why a call of an ``APIClient`` has no result.
///
/// ``code`` says what happened, ``description`` is for logs, and `localizedDescription` is a sentence for the person in
/// English.
public struct APIError: LocalizedError {
    /// The kind of the failure.
    public let code: Code
    /// The status of the response, if there was one.
    public let status: Int?
    /// The body of the response, such as a problem document; empty without a response.
    public let body: Data
    /// The pause before a retry that the service asks for.
    public let retryAfter: Duration?
    /// The reason why there is no token, for `.noToken`.
    public let cause: SessionError?
    public let description: String

    /// The kind of a failure. Versions may add codes, so a `switch` over a code needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The service answered with a status that is not 2xx.
        public static let refused = Code("refused")
        /// There is no token to send; ``APIError/cause`` is the reason.
        public static let noToken = Code("no_token")
        /// The service answered 401 to a token, and then also to a new one. Signing in again does not help: the service does
        /// not accept the tokens of this issuer.
        public static let newTokenRejected = Code("new_token_rejected")
        /// There is no connection. The service did not get the request.
        public static let unreachable = Code("unreachable")
        /// No complete response arrived. The service may have acted on the request.
        public static let answerLost = Code("answer_lost")
        /// The response can't be decoded as the type of the endpoint.
        public static let unreadable = Code("unreadable")
        /// The task was cancelled.
        public static let cancelled = Code("cancelled")
        /// The configuration is wrong; the description says what to change.
        public static let misconfigured = Code("misconfigured")
    }

    /// Whether the same call may succeed later. The service may have acted on the request when the answer was lost.
    public var isTransient: Bool {
        switch code {
        case .unreachable, .answerLost: true
        case .refused: status.map { [408, 429, 502, 503, 504].contains($0) } ?? false
        case .noToken: cause?.isTransient ?? false
        default: false
        }
    }

    init(_ code: Code, _ description: String, _ answer: HTTPAnswer? = nil, cause: SessionError? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
        status = answer?.status
        body = answer?.body ?? Data()
        retryAfter = answer?.retryAfter ?? cause?.retryAfter
    }

    init(_ refusal: HTTPAnswer) { self.init(.refused, "the service answered \(refusal.status)", refusal) }

    init(_ cause: SessionError) { self.init(.noToken, "there is no token: \(cause)", cause: cause) }
}

extension APIError: CustomStringConvertible, CustomReflectable {
    /// Without the body, which may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["code": code, "description": description]) }

    /// A sentence for the person, in English.
    public var errorDescription: String? {
        switch code {
        case .refused where status == 401: "Sign in to do this."
        case .refused where status == 403: "Your account may not do this."
        case .noToken: cause?.errorDescription
        case .newTokenRejected: SessionError.newTokenRejected.errorDescription
        case .cancelled: "The request was cancelled."
        case .unreachable, .answerLost: "We can't reach the service. Try again."
        case .refused where isTransient: "The service has too much to do. \(Duration.tryAgain(after: retryAfter))"
        default: "Something went wrong on our side. Try again later."
        }
    }
}
