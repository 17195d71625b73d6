import Foundation
import Onboarding
import OpenIDSessions
import Sessions

/// The parts of the app, made once at its start.
@MainActor struct Parts {
    let issuer: OpenIDBackend
    let manager: AuthStateManager

    init() {
        guard let address = URL(string: "http://127.0.0.1:8081"),
            let redirectURI = URL(string: "example:/signed-in"),
            let registry = URL(string: "http://127.0.0.1:8080"),
            let issuer = try? OpenIDBackend(issuer: address, clientID: "app", redirectURI: redirectURI)
        else { fatalError("an address is not valid") }
        self.issuer = issuer
        manager = AuthStateManager(
            backend: issuer, storage: KeychainStorage(), registry: registry,
            profiles: .onThisDevice)
    }
}
