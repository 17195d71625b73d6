/// Whether a person is signed in.
public enum SessionState: Sendable, Hashable {
    /// The store could not be read yet, so it is unknown whether the person is signed in.
    case unknown
    /// There is no session, for this reason.
    case signedOut(SignOutReason)
    /// There is a session. Its access token may have expired.
    case authenticated
}

/// The reason why there is no session.
public enum SignOutReason: Sendable, Hashable {
    /// No session was stored, and no sign-in happened.
    case neverSignedIn
    /// This program signed out.
    case requested
    /// The session reached its maximum time.
    case timedOut
    /// The issuer refused to continue the session.
    case remote
    /// Another program with the same store signed out, or began another session.
    case elsewhere
}

/// An event of a session, for logs. It contains no secret.
public enum SessionEvent: Sendable, Hashable {
    /// The issuer returned new tokens for the session.
    case refreshed
    /// A refresh failed. Only `.refused` can end the session.
    case refreshFailed(SessionError)
    /// Another program with the same store had refreshed the session.
    case adopted
    /// The session is refreshed without the lock that keeps other programs from doing the same.
    case lockFailed(SessionError)
    /// The session is in memory only; it is saved later.
    case saveFailed(SessionError)
    /// The session is still stored; it is removed later.
    case clearFailed(SessionError)
    /// A sign-in is about to replace stored content that is not a session. The save may still fail.
    case replacedDamaged(SessionError)
    /// Tokens that arrived after their session ended were revoked; an error means that this failed.
    case revokedLate(SessionError?)
}
