/// The reason why a request of a ``CookieSession`` has no response, or why a log-in failed.
public enum CookieSessionError: Error, Hashable, CustomStringConvertible {
    /// The response to the log-in set no session cookie.
    case refused(status: Int)
    /// No response arrived, or an incomplete one.
    case unreachable
    /// Another log-in or a log-out happened before the response.
    case superseded
    case tooManyRedirects
    case cancelled
    /// The configuration is wrong; the text says what to change.
    case misconfigured(String)

    public var description: String {
        switch self {
        case .refused(let status): "the service refused the log-in (status \(status)); check name and password"
        case .unreachable: "the service can't be reached; try again"
        case .superseded: "another log-in or a log-out came first"
        case .tooManyRedirects: "the service redirects in a circle; its address may be wrong"
        case .cancelled: "cancelled"
        case .misconfigured(let problem): problem
        }
    }
}
