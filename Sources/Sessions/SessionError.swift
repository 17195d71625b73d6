public import Foundation
import HTTPLoading

/// A failure of this module: of a sign-in, a session, its issuer or its store.
///
/// ``code`` says what happened, ``description`` is for logs, and `localizedDescription` is a sentence for the person in
/// English. No text contains a secret.
public struct SessionError: LocalizedError, Hashable {
    /// The kind of the failure.
    public let code: Code
    /// The issuer's code of a refusal, such as `invalid_grant`; nil for other errors.
    public let issuerCode: String?
    /// The pause before a retry; nil if it is unknown.
    public let retryAfter: Duration?
    private let detail: String?

    private init(_ code: Code, issuerCode: String? = nil, retryAfter: Duration? = nil, detail: String? = nil) {
        self.code = code
        self.issuerCode = issuerCode
        self.retryAfter = retryAfter
        self.detail = detail
    }

    /// - Parameters:
    ///   - code: the kind of the failure.
    ///   - description: the operation, its place and the reason. Never a token.
    public init(_ code: Code, _ description: String) { self.init(code, detail: description) }

    /// The kind of a failure. Versions may add codes, so a `switch` over a code needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        // The session.

        /// There is no session: the person has to sign in.
        public static let signedOut = Code("signed_out")
        /// The access token has expired, and there is no refresh token: the person has to sign in.
        public static let noRefreshToken = Code("no_refresh_token")
        /// A service rejected the token within ``SessionController/Limits/new`` after it was issued, and there is no
        /// refresh token. Signing in again does not help: the service does not accept the tokens of this issuer.
        public static let newTokenRejected = Code("new_token_rejected")
        /// The issuer, or another program with the same store, took too long; the session stays.
        public static let timedOut = Code("timed_out")
        /// Another sign-in or a sign-out happened first, so the answer was dropped.
        public static let superseded = Code("superseded")
        /// The task was cancelled.
        public static let cancelled = Code("cancelled")

        // The issuer.

        /// A definite refusal of the issuer. It ends a session.
        public static let refused = Code("refused")
        /// No definite answer; the session stays. The request may be retried.
        public static let unreachable = Code("unreachable")
        /// The request was sent, and no complete answer arrived. The issuer may have acted on the request.
        public static let answerLost = Code("answer_lost")
        /// The backend doesn't support the call or the credential.
        public static let unsupported = Code("unsupported")
        /// The configuration does not fit the issuer; the description says what to change.
        public static let misconfigured = Code("misconfigured")

        // The store. None of these loses a session.

        /// The store could not be read, so it is unknown whether there is a session. It may be readable later.
        public static let storeUnreadable = Code("store_unreadable")
        /// The stored content is not a session: it belongs to another program or a newer version.
        public static let storeDamaged = Code("store_damaged")
        /// Nothing was saved; the stored content is unchanged.
        public static let notSaved = Code("not_saved")
        /// The stored content could not be removed.
        public static let notCleared = Code("not_cleared")
        /// The lock of the store could not be requested.
        public static let notLocked = Code("not_locked")

        /// Whether the store failed, and not the issuer or the session.
        public var isOfStore: Bool {
            [.storeUnreadable, .storeDamaged, .notSaved, .notCleared, .notLocked].contains(self)
        }
    }
}

extension SessionError {
    /// Whether the same call may succeed later, without a new sign-in.
    public var isTransient: Bool {
        [.timedOut, .unreachable, .answerLost, .storeUnreadable, .notSaved, .notCleared, .notLocked].contains(code)
    }

    /// The error with the code ``Code/signedOut``.
    public static let signedOut = SessionError(.signedOut)
    /// The error with the code ``Code/noRefreshToken``.
    public static let noRefreshToken = SessionError(.noRefreshToken)
    /// The error with the code ``Code/newTokenRejected``.
    public static let newTokenRejected = SessionError(.newTokenRejected)
    /// The error with the code ``Code/timedOut``.
    public static let timedOut = SessionError(.timedOut)
    /// The error with the code ``Code/superseded``.
    public static let superseded = SessionError(.superseded)
    /// The error with the code ``Code/cancelled``.
    public static let cancelled = SessionError(.cancelled)
    /// The error with the code ``Code/answerLost``.
    public static let answerLost = SessionError(.answerLost)
    /// The error with the code ``Code/unsupported``.
    public static let unsupported = SessionError(.unsupported)

    /// - Parameter code: the issuer's code, such as `invalid_grant`.
    public static func refused(code: String) -> SessionError { SessionError(.refused, issuerCode: code) }

    /// - Parameter retryAfter: the pause that the issuer asks for; nil if it asks for none.
    public static func unreachable(retryAfter: Duration?) -> SessionError {
        SessionError(.unreachable, retryAfter: retryAfter)
    }

    /// - Parameter problem: what to change.
    public static func misconfigured(_ problem: String) -> SessionError { SessionError(.misconfigured, problem) }
}

extension SessionError: CustomStringConvertible {
    public var description: String {
        if let detail { return detail }
        return switch code {
        case .signedOut: "signed out; sign in"
        case .noRefreshToken: "the session has no refresh token; sign in again"
        case .newTokenRejected:
            "a service rejects a token that is new; compare the issuer and the audience that it expects, and its clock"
        case .timedOut: "renewing the session took too long; try again"
        case .superseded: "another sign-in or a sign-out came first"
        case .refused: "the issuer refused: \(issuerCode ?? "without a code")"
        case .unreachable:
            "the issuer can't be reached; try again" + (retryAfter.map { " in \($0.wholeSeconds) s" } ?? "")
        case .answerLost: "the answer of the issuer got lost; try again"
        case .unsupported: "the backend doesn't support this call or credential; use another one"
        default: code.description
        }
    }

    /// A sentence for the person, in English.
    public var errorDescription: String? {
        switch code {
        case .signedOut: "You are signed out. Sign in to continue."
        case .noRefreshToken: "Your session has ended. Sign in again."
        case .newTokenRejected:
            "The service does not accept your sign-in, although it is new. Signing in again does not help. Try again later."
        case .superseded: "Another sign-in or a sign-out came first."
        case .cancelled: "The request was cancelled."
        case .refused: Self.refusal(issuerCode)
        case .unreachable:
            "We can't reach the service for signing in. \(Duration.tryAgain(after: retryAfter))"
        case .timedOut, .answerLost: "The service for signing in did not answer. Try again."
        case .unsupported: "This way to sign in is not available. Choose another one."
        case .storeUnreadable, .notLocked:
            "The session on this device can't be read just now. Unlock the device, and try again."
        case .storeDamaged: "The session on this device can't be read. Sign in again."
        case .notSaved:
            "The session could not be saved on this device. Look whether there is free space, and try again."
        case .notCleared: "You are signed out, but the session could not be removed from this device yet."
        default: "Signing in failed because of a fault on our side. Try again later."
        }
    }

    private static func refusal(_ issuerCode: String?) -> String {
        switch issuerCode {
        case "access_denied": "You did not allow the sign-in."
        case "account_exists": "There is an account with this e-mail address. Sign in instead."
        case "invalid_grant": "The sign-in was refused. Check what you entered, and try again."
        default: "The sign-in was refused. Try again."
        }
    }
}
