#if canImport(SwiftUI)
import Onboarding
import Sessions
import SwiftUI

/// The form of the current step, with its message and its buttons.
struct OnboardingForm: View {
    @Environment(AuthStateManager.self) private var manager
    @Environment(\.signInTexts) private var texts
    @Environment(\.accessibilityReduceMotion) private var reducesMotion
    let onboarding: OnboardingModel

    var body: some View {
        Form {
            switch onboarding.step {
            case .handle: HandleFieldRows(field: onboarding.field, takesFocus: true)
            case .displayName: DisplayNameRows(onboarding: onboarding)
            case .done: EmptyView()
            }
            Section {
                Button(onboarding.texts.next, action: onboarding.next)
                    .disabled(onboarding.step == .done)
                    .announcing(onboarding.message)
                if onboarding.canGoBack { Button(onboarding.texts.back, action: onboarding.back) }
                // The onboarding keeps the typed text, and goes on when the same person signs in.
                if onboarding.needsSignIn { Button(texts.signIn) { Task { await manager.auth.signOut() } } }
            } footer: {
                if let message = onboarding.message { Text(message) }
            }
        }
        .onSubmit(onboarding.next)
        .navigationTitle(onboarding.step == .handle ? texts.handle : texts.displayName)
        .animation(reducesMotion ? nil : .default, value: onboarding.step)
    }
}
#endif
