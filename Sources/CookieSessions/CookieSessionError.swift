public import Foundation

/// A failure of a ``CookieSession``: of a request, or of a log-in.
///
/// ``code`` says what happened, ``description`` is for logs, and `localizedDescription` is a sentence for the person in
/// English.
public struct CookieSessionError: LocalizedError, Hashable {
    /// The kind of the failure.
    public let code: Code
    public let description: String

    private init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// The kind of a failure. Versions may add codes, so a `switch` over a code needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The response to the log-in set no session cookie.
        public static let refused = Code("refused")
        /// No response arrived, or an incomplete one.
        public static let unreachable = Code("unreachable")
        /// Another log-in or a log-out happened before the response.
        public static let superseded = Code("superseded")
        /// Ten redirects followed each other.
        public static let tooManyRedirects = Code("too_many_redirects")
        /// The task was cancelled.
        public static let cancelled = Code("cancelled")
        /// The configuration is wrong; the description says what to change.
        public static let misconfigured = Code("misconfigured")
    }
}

extension CookieSessionError {
    /// The error with the code ``Code/unreachable``.
    public static let unreachable = CookieSessionError(.unreachable, "the service can't be reached; try again")
    /// The error with the code ``Code/superseded``.
    public static let superseded = CookieSessionError(.superseded, "another log-in or a log-out came first")
    /// The error with the code ``Code/tooManyRedirects``.
    public static let tooManyRedirects = CookieSessionError(
        .tooManyRedirects, "the service redirects in a circle; its address may be wrong")
    /// The error with the code ``Code/cancelled``.
    public static let cancelled = CookieSessionError(.cancelled, "cancelled")

    /// - Parameter status: of the response to the log-in.
    public static func refused(status: Int) -> CookieSessionError {
        CookieSessionError(.refused, "the service refused the log-in (status \(status)); check name and password")
    }

    /// - Parameter problem: what to change.
    public static func misconfigured(_ problem: String) -> CookieSessionError {
        CookieSessionError(.misconfigured, problem)
    }
}

extension CookieSessionError: CustomStringConvertible {
    /// A sentence for the person, in English.
    public var errorDescription: String? {
        switch code {
        case .refused: "The name or the password is wrong. Check them, and try again."
        case .unreachable: "We can't reach the service. Try again."
        case .superseded: "Another log-in or a log-out came first."
        case .cancelled: "The request was cancelled."
        default: "Logging in failed because of a fault on our side. Try again later."
        }
    }
}
