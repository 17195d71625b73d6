#if canImport(SwiftUI)
import HandleClient
import Onboarding
import SwiftUI

/// The field of a handle, its message and the suggestions.
struct HandleFieldRows: View {
    @FocusState private var isFocused: Bool
    @Bindable var field: HandleField
    /// Whether the keyboard appears together with the field.
    var takesFocus = false

    var body: some View {
        Section {
            TextField(field.label, text: $field.text)
                .typingVerbatim()
                .textContentType(.username)
                .submitLabel(.continue)
                .focused($isFocused)
                .accessibilityHint(field.hint)
                .onAppear { if takesFocus { isFocused = true } }
                .onChange(of: isFocused) { if !isFocused { field.leave() } }
                .announcing(field.announcement)
            if let message = field.message {
                Label {
                    Text(message)
                } icon: {
                    // The message says the same.
                    icon.accessibilityHidden(true)
                }
            }
        } footer: {
            Text(field.hint)
        }
        if !field.suggestions.isEmpty {
            Section(field.texts.suggestionsLabel) {
                ForEach(field.suggestions, id: \.self) { suggestion in
                    Button(suggestion.description) { field.choose(suggestion) }
                }
            }
        }
    }

    @ViewBuilder private var icon: some View {
        switch field.state {
        case .available: Image(systemName: "checkmark.circle.fill").foregroundStyle(.green)
        case .checking: ProgressView()
        case .unknown: Image(systemName: "wifi.exclamationmark").foregroundStyle(.orange)
        case .empty, .malformed, .unavailable: Image(systemName: "xmark.circle.fill").foregroundStyle(.red)
        }
    }
}
#endif
