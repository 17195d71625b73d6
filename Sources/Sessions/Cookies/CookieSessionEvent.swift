/// An event of a ``CookieSession``, for logs and counts of log-ins. It holds no cookie's value, and nothing that names the person.
public enum CookieSessionEvent: Sendable, Hashable {
    case logInStarted
    case loggedIn
    /// The log-in failed; the session before it stays, unless the facts of the new one could not be read.
    case logInFailed
    /// An answer set the cookie of the session, or changed it.
    case cookieSet
    /// An answer ended the cookie of the session.
    case cookieRemoved
    case loggedOut(SignOutReason)
    /// A step of logging out failed; the others were done.
    case logOutStepFailed(String)
}
