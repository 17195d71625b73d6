#if canImport(SwiftUI)
import Onboarding
import SwiftUI

/// The rows of the second step: the handle, and a field for the display name.
struct DisplayNameRows: View {
    @FocusState private var isFocused: Bool
    @Bindable var onboarding: OnboardingModel

    var body: some View {
        Section {
            // Not in the header, where some systems show only capitals.
            if let preview = onboarding.preview { Text(preview).font(.headline) }
            TextField(onboarding.texts.displayNameLabel, text: $onboarding.displayName)
                .textContentType(.name)
                .submitLabel(.done)
                .focused($isFocused)
                .accessibilityHint(onboarding.texts.displayNameHint)
                .onAppear { isFocused = true }
                .announcing(onboarding.displayNameMessage)
            if let message = onboarding.displayNameMessage { Text(message) }
        } footer: {
            Text(onboarding.texts.displayNameHint)
        }
    }
}
#endif
