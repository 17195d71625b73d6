import Onboarding
import OnboardingViews
import SwiftUI

@main struct ExampleApp: App {
    @State private var parts = Parts()

    var body: some Scene {
        WindowGroup {
            AuthGuardView { profile in
                HomeView(profile: profile)
            } welcome: {
                WelcomeView { OpenIDSignInButton(backend: parts.issuer) }
            }
            .environment(parts.manager)
        }
    }
}
