import Foundation
import Sessions
import Testing

@Suite struct AppleCredentialTests {
    @Test func requestCarriesTheHashOfTheNonce() {
        let nonce = AppleNonce()
        #expect(nonce.value.utf8.count == 43 && nonce != AppleNonce())
        #expect(nonce.hash.wholeMatch(of: /[0-9a-f]{64}/) != nil)
        let credential = nonce.credential(idToken: "token", authorizationCode: "code")
        #expect(credential == AppleCredential(idToken: "token", authorizationCode: "code", nonce: nonce.value))
    }

    @MainActor @Test func backendGetsAllOfTheAnswer() async throws {
        let backend = RecordingBackend()
        let auth = AuthService(backend: backend, storage: MemoryStorage()) { _ in "Jane" }
        let credential = AppleNonce().credential(idToken: "token", authorizationCode: "code")
        try await auth.signInWithApple(credential)
        #expect(await backend.credential == credential && auth.isAuthenticated)
    }

    private actor RecordingBackend: AuthBackend {
        private(set) var credential: AppleCredential?

        func tokens(for credential: Credential) async throws(SessionError) -> AuthTokens {
            guard case .apple(let apple) = credential else { throw .unsupported }
            self.credential = apple
            return AuthTokens(accessToken: "access")
        }

        func refresh(_ refreshToken: String) async throws(SessionError) -> AuthTokens { throw .unsupported }
        func revoke(_ tokens: AuthTokens) async throws(SessionError) {}
        func resetPassword(email: String) async throws(SessionError) { throw .unsupported }
        func deleteAccount(_ tokens: AuthTokens) async throws(SessionError) { throw .unsupported }
    }
}
