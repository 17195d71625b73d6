import Debouncing
public import HandleClient
import HandleRules
import Sessions

/// The reason why a call of the onboarding failed, as far as it affects the next step.
public enum CallFailure: Sendable, Hashable {
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

    /// Takes an error of a ``ProfileStore`` or of a call of the registry. Unknown errors are `.lasting`.
    public init(_ error: any Error) {
        switch error {
        case let error as HandleClientError: self.init(error)
        case let error as SessionError: self.init(error)
        // Another call of the same validator superseded it.
        case is DebouncingError: self = .passing(retryAfter: nil)
        default: self = .lasting("\(error)")
        }
    }

    private init(_ error: HandleClientError) {
        switch error.code {
        case .problem where error.problem?.code == .tokensNotAccepted: self = .misconfigured(.tokensNotAccepted)
        case .problem where error.problem?.code == .unknownIssuer: self = .misconfigured(.unknownIssuer)
        case .newTokenRejected: self = .misconfigured(.newTokenRejected)
        // The token is old, and the app has no newer one.
        case .problem where error.status == 401: self = .signedOut
        case .problem where !error.reasons.isEmpty: self = .refused(error.reasons)
        case _ where error.isTransient: self = .passing(retryAfter: error.retryAfter)
        case .cancelled: self = .passing(retryAfter: nil)
        default:
            if let cause = error.cause as? SessionError { self.init(cause) } else { self = .lasting(error.description) }
        }
    }

    private init(_ error: SessionError) {
        switch error.code {
        case .signedOut, .noRefreshToken, .superseded, .refused: self = .signedOut
        case .newTokenRejected: self = .misconfigured(.newTokenRejected)
        case .unsupported, .misconfigured: self = .lasting(error.description)
        default: self = .passing(retryAfter: error.retryAfter)
        }
    }

    /// The pause before a retry after this number of consecutive failures: a second, doubled each time, at most half a
    /// minute unless the service asks for more.
    static func pause(after failures: Int, atLeast least: Duration?) -> Duration {
        max(least ?? .zero, min(.seconds(1 << min(max(failures - 1, 0), 10)), .seconds(30)))
    }
}
