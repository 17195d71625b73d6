public import Sessions

/// An event of a ``CookieSession``, for logs and counts of log-ins. It contains no cookie value and does not identify
/// the person.
public enum CookieSessionEvent: Sendable, Hashable {
    /// A log-in was requested; its form has not been sent yet.
    case logInStarted
    /// The log-in succeeded, and its facts are stored.
    case loggedIn
    /// The log-in failed. The previous session stays, unless the facts of the new one could not be read.
    case logInFailed
    /// A response set or changed the session cookie.
    case cookieSet
    /// A response deleted the session cookie.
    case cookieRemoved
    /// The cookies, the facts and the URL cache are cleared, and the steps of logging out begin. The reason is
    /// `.requested` or `.remote`.
    case loggedOut(SignOutReason)
    /// A logout step failed; the other steps ran.
    case logOutStepFailed(String)
}
