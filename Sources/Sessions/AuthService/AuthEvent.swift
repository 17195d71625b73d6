/// An entry for an audit log of sign-ins and sign-outs. It contains no secret and does not identify the person.
public enum AuthEvent: Sendable, Hashable {
    /// A new session has begun; the value says whether the person is a guest.
    case signedIn(isAnonymous: Bool)
    /// A stored session of an earlier launch is in use again.
    case restored
    /// The session has ended here; the logout steps and the revocation follow.
    case signedOut(SignOutReason)
    /// A logout step failed; the other steps ran.
    case logOutStepFailed(String)
    /// Revoking failed: the tokens of a session that has ended here may still be valid at the issuer.
    case revocationFailed(SessionError)
    /// The issuer has deleted the account; the sign-out follows.
    case accountDeleted
}
