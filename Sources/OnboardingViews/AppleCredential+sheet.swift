#if canImport(SwiftUI)
public import AuthenticationServices
public import Sessions

extension AppleCredential {
    /// Reads the answer of Apple's sheet, for a button of one's own.
    /// - Parameter nonce: that of the request, which had its hash.
    /// - Throws: `CancellationError` when the person closed the sheet; otherwise ``SessionError`` `.misconfigured`.
    public init(_ result: Result<ASAuthorization, any Error>, nonce: AppleNonce) throws {
        let authorization: ASAuthorization
        do {
            authorization = try result.get()
        } catch let error as ASAuthorizationError where error.code == .canceled {
            throw CancellationError()
        } catch {
            throw SessionError.misconfigured("Apple's sheet failed: \(error)")
        }
        guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
            let token = credential.identityToken
        else { throw SessionError.misconfigured("Apple's sheet returned no identity token") }
        self = nonce.credential(
            idToken: String(decoding: token, as: UTF8.self),
            authorizationCode: credential.authorizationCode.map { String(decoding: $0, as: UTF8.self) })
    }
}
#endif
