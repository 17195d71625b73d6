/// An entry for an audit log of sign-ins and sign-outs. It holds no secret, and nothing that names the person.
public enum AuthEvent: Sendable, Hashable {
    case signedIn(isAnonymous: Bool)
    /// The session of an earlier start is in use again.
    case restored
    case signedOut(SignOutReason)
    /// A step of logging out failed; the others were done.
    case logOutStepFailed(String)
    /// The tokens of a session that has ended here may be good at the issuer still.
    case revocationFailed(AuthError)
    case accountDeleted
}
