import Foundation
import Sessions
import OpenIDSessions
import FileSessionStorage

struct Profile: Codable, Sendable {
    let sub: String
    let email: String
}

/// Made once at the start of the app. Its models get `auth` from it.
@MainActor final class ExampleApp {
    let auth: AuthService<Profile>
    private let backend: OpenIDBackend
    private var request: AuthorizationRequest?

    init(issuer: URL, redirectURI: URL, folder: URL) throws {
        let backend = try OpenIDBackend(issuer: issuer, clientID: "app", redirectURI: redirectURI)
        auth = AuthService(backend: backend, storage: FileStorage(folder: folder)) { tokens in
            try await backend.userInfo(for: tokens)
        }
        self.backend = backend
    }

    /// The page on which the person signs in, for the browser.
    func signInPage() async throws -> URL {
        let request = try await backend.authorization()
        self.request = request
        return request.url
    }

    /// Ends the sign-in with the address that the browser was sent to.
    func signIn(from callback: URL) async throws {
        guard let request else { return }
        try await auth.signIn(with: backend.credential(from: callback, for: request))
    }
}
