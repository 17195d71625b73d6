#if canImport(SwiftUI)
public import HandleClient
public import Onboarding
public import SwiftUI

/// A field for typing a handle, with its messages and suggestions, as sections of a form.
public struct HandleInputView: View {
    private enum Source {
        case field(HandleField)
        case validator(HandleValidator, handle: Binding<String>, displayHandle: Binding<String>, isValid: Binding<Bool>)
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
    public init(
        handle: Binding<String>, displayHandle: Binding<String>, isValid: Binding<Bool>, validator: HandleValidator
    ) {
        source = .validator(validator, handle: handle, displayHandle: displayHandle, isValid: isValid)
    }

    public var body: some View {
        switch source {
        case .field(let field): HandleFieldRows(field: field)
        case .validator(let validator, let handle, let displayHandle, let isValid):
            BoundHandleRows(handle: handle, displayHandle: displayHandle, isValid: isValid, validator: validator)
        }
    }
}

/// Owns the model of a field, and connects it with bindings.
private struct BoundHandleRows: View {
    @State private var field: HandleField
    @Binding private var handle: String
    @Binding private var displayHandle: String
    @Binding private var isValid: Bool

    init(
        handle: Binding<String>, displayHandle: Binding<String>, isValid: Binding<Bool>, validator: HandleValidator
    ) {
        _field = State(initialValue: HandleField(validator: validator))
        _handle = handle
        _displayHandle = displayHandle
        _isValid = isValid
    }

    var body: some View {
        HandleFieldRows(field: field)
            .onChange(of: displayHandle, initial: true) { if displayHandle != shown { field.text = displayHandle } }
            .onChange(of: field.machine) {
                handle = field.handle ?? ""
                displayHandle = shown
                isValid = field.isValid
            }
    }

    private var shown: String { field.displayHandle ?? field.text }
}
#endif
