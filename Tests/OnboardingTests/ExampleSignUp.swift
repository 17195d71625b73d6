import Foundation
import Onboarding
import Sessions
import OpenIDSessions
import FileSessionStorage

/// An app without its views, made once at its start.
@MainActor final class ExampleSignUp {
    let manager: AuthStateManager
    private let backend: OpenIDBackend
    private var request: AuthorizationRequest?

    init(issuer: URL, redirectURI: URL, registry: URL, folder: URL, profiles: ProfileStore) throws {
        backend = try OpenIDBackend(issuer: issuer, clientID: "app", redirectURI: redirectURI)
        manager = AuthStateManager(
            backend: backend, storage: FileStorage(folder: folder), registry: registry, profiles: profiles)
    }

    /// What to show now. Views read the same from `manager.state`, and change with it.
    var screen: String {
        switch manager.state {
        case .initializing: "One moment…"
        case .unauthenticated: "Welcome"
        case .authenticatedNoProfile: manager.onboarding?.field.message ?? "Choose a handle"
        case .authenticated(let profile): "@\(profile.displayHandle)"
        }
    }

    /// The page on which the person signs in, for the browser.
    func signInPage() async throws -> URL {
        let request = try await backend.authorization()
        self.request = request
        return request.url
    }

    /// Ends the sign-in with the address that the browser was sent to, and begins the onboarding.
    func signIn(from callback: URL) async throws {
        guard let request else { return }
        try await manager.auth.signIn(with: backend.credential(from: callback, for: request))
        manager.onboarding?.start()
    }
}
