#if canImport(SwiftUI)
public import HandleClient
public import Onboarding
public import SwiftUI

/// A field for typing a handle, with its messages and suggestions, as sections of a form.
public struct HandleInputView: View {
    private enum Source {
        case field(HandleField)
        case bindings(BoundHandleRows)
    }

    private let source: Source

    /// Shows a model, such as that of a form for renaming.
    public init(field: HandleField) { source = .field(field) }

    /// Makes its own model, and writes its results to bindings.
    /// - Parameters:
    ///   - handle: receives the canonical handle; empty while the text is malformed.
    ///   - displayHandle: the typed text with its capitals. A change of it changes the field.
    ///   - isValid: receives whether the service has answered that the name is available.
    ///   - validator: used by this field only, such as `manager.getValidator()`. Only the first one is used.
    ///   - texts: the texts for people.
    public init(
        handle: Binding<String>, displayHandle: Binding<String>, isValid: Binding<Bool>, validator: HandleValidator,
        texts: OnboardingTexts = OnboardingTexts()
    ) {
        let field = HandleField(validator: validator, texts: texts)
        source = .bindings(
            BoundHandleRows(field: field, handle: handle, displayHandle: displayHandle, isValid: isValid))
    }

    public var body: some View {
        switch source {
        case .field(let field): HandleFieldRows(field: field)
        case .bindings(let rows): rows
        }
    }
}

/// Owns the model of a field, and connects it with bindings.
private struct BoundHandleRows: View {
    @State var field: HandleField
    @Binding var handle: String
    @Binding var displayHandle: String
    @Binding var isValid: Bool
    /// The latest own change of `displayHandle`. Another change is one of the app.
    @State var written = ""

    var body: some View {
        HandleFieldRows(field: field)
            .onChange(of: displayHandle, initial: true) { if displayHandle != written { field.text = displayHandle } }
            .onChange(of: field.machine) {
                written = field.displayHandle ?? field.text
                handle = field.handle ?? ""
                displayHandle = written
                isValid = field.isValid
            }
    }
}
#endif
