#if canImport(SwiftUI)
import Onboarding
import Sessions
public import SwiftUI

/// The two steps of a signed-in person without a profile: the handle, then the display name. It needs the
/// `AuthStateManager` in the environment, and shows nothing when no person is signed in.
///
/// ```swift
/// OnboardingView()
///     .environment(manager)
/// ```
public struct OnboardingView: View {
    @Environment(AuthStateManager.self) private var manager

    /// Shows the onboarding of the manager in the environment.
    public init() {}

    public var body: some View {
        if let onboarding = manager.onboarding {
            NavigationStack { OnboardingForm(onboarding: onboarding) }
                // Again after each sign-in.
                .task(id: manager.auth.currentSession?.id) { onboarding.start() }
        }
    }
}
#endif
