import Foundation
import Onboarding
import OnboardingViews
import OpenIDSessions
import Sessions
import SwiftUI

@main struct ExampleApp: App {
    @State private var manager: AuthStateManager
    private let issuer: OpenIDBackend

    init() {
        guard let registry = URL(string: "https://handles.example.com"),
            let address = URL(string: "https://login.example.com"),
            let redirectURI = URL(string: "com.example.app:/signed-in"),
            let issuer = try? OpenIDBackend(issuer: address, clientID: "app", redirectURI: redirectURI)
        else { fatalError("an address of the app is not valid") }
        var configuration = OnboardingConfiguration()
        configuration.auth.requireDeviceOwner(reason: "Open your account")
        self.issuer = issuer
        _manager = State(
            initialValue: AuthStateManager(
                backend: issuer, storage: KeychainStorage(), registry: registry,
                profiles: .onThisDevice, configuration: configuration))
    }

    var body: some Scene {
        WindowGroup {
            AuthGuardView { profile in
                HomeView(profile: profile)
            } welcome: {
                WelcomeView { OpenIDSignInButton(backend: issuer) }
            }
            .environment(manager)
        }
    }
}

struct HomeView: View {
    @Environment(AuthStateManager.self) private var manager
    let profile: UserProfile

    var body: some View {
        VStack {
            Text("@\(profile.displayHandle)").font(.title)
            Button("Sign out") { Task { await manager.signOut() } }
        }
    }
}

extension ProfileStore {
    /// Keeps profiles on this device. An app with a service calls that instead.
    static let onThisDevice = ProfileStore { userID in
        guard let data = UserDefaults.standard.data(forKey: "profile \(userID)") else { return nil }
        return try JSONDecoder().decode(UserProfile.self, from: data)
    } save: { profile in
        UserDefaults.standard.set(try JSONEncoder().encode(profile), forKey: "profile \(profile.userId)")
    }
}
