import Debouncing
public import HandleClient
import HandleCore
import Sessions

/// Why a call of the onboarding has failed, as far as it matters to what comes next.
public enum CallFailure: Error, Sendable, Hashable {
    /// The name can't be had.
    case refused([HandleReason])
    /// The call may succeed later, and has perhaps taken effect.
    case passing(retryAfter: Duration?)
    /// The person has to sign in.
    case signedOut
    /// The call will fail again; the text is for the app's log.
    case lasting(String)

    public init(_ error: any Error) {
        switch error {
        case let failure as CallFailure: self = failure
        case let error as HandleClientError: self.init(error)
        case let error as SessionError: self.init(error)
        // Another call of the same validator came.
        case is DebouncingError: self = .passing(retryAfter: nil)
        default: self = .lasting("\(error)")
        }
    }

    private init(_ error: HandleClientError) {
        switch error {
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
        case .unreachable(let pause): self = .passing(retryAfter: pause)
        case .timedOut, .storage, .cancelled: self = .passing(retryAfter: nil)
        }
    }

    /// The pause before a call is repeated that has failed so many times in a row: a second, twice as long each time, half a
    /// minute at most unless the service asks for more.
    static func pause(after failures: Int, atLeast least: Duration?) -> Duration {
        max(least ?? .zero, min(.seconds(1 << min(max(failures - 1, 0), 10)), .seconds(30)))
    }
}
