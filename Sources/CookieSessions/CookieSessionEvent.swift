public import Sessions

/// An event of a ``CookieSession``, for logs and counts of log-ins. It contains no cookie value and does not identify
/// the person.
public enum CookieSessionEvent: Sendable, Hashable {
    case logInStarted
    case loggedIn
    /// The log-in failed. The previous session stays, unless the facts of the new one could not be read.
    case logInFailed
    /// A response set or changed the session cookie.
    case cookieSet
    /// A response deleted the session cookie.
    case cookieRemoved
    case loggedOut(SignOutReason)
    /// A logout step failed; the other steps ran.
    case logOutStepFailed(String)
}
