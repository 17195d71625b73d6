public import HandleClient
public import HandleCore

/// The state of a field for a handle: what is known of the text in it. A pure value; a model does what its effects say.
///
/// An answer counts only while its text is the present one, byte for byte. "Available" comes only from an answer of the service
/// about that text.
public struct HandleFieldMachine: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        /// Nothing is typed.
        case empty
        /// A rule of form is broken; found without the service.
        case malformed(HandleFormatValidation)
        /// The service has not answered yet.
        case checking
        case available(HandleAvailability)
        /// The name can't be had. Suggestions may come later than the reasons.
        case unavailable(reasons: [HandleReason], suggestions: [HandleSuggestion])
        /// The check has failed, which says nothing about the name. It is repeated; the person may go on.
        case unknown
    }

    public enum Event: Sendable, Hashable {
        /// The text of the field is this now.
        case typed(String)
        /// The person has left the field.
        case left
        /// The person wants to go on with the text as it is.
        case submitted
        case checked(HandleAvailability)
        case checkFailed(String, CallFailure)
        /// A hold or a claim of this text was refused.
        case refused(String, [HandleReason])
        /// The field is shown again, with the text that it had.
        case returned
    }

    public enum Effect: Sendable, Hashable {
        /// Check a text, after a pause and in place of any other check.
        case check(String, after: Duration)
        /// End the check.
        case stopChecking
    }

    public private(set) var text = ""
    public private(set) var state = State.empty
    /// Whether the person has left the field since it was empty, or wanted to go on. Before, they may still be typing what is
    /// missing.
    public private(set) var hasLeft = false
    /// Checks of this text that failed in a row.
    private var failures = 0

    public init() {}

    /// The name in the field with its capitals; nil when it is malformed.
    public var display: DisplayHandle? { Reading(folding: text).display }

    public mutating func receive(_ event: Event) -> [Effect] {
        switch event {
        case .typed(let text):
            guard !text.isSame(as: self.text) else { return [] }
            self.text = text
            if text.isEmpty { hasLeft = false }
            return judge()
        case .left:
            hasLeft = !text.isEmpty
        case .submitted:
            hasLeft = true
        case .checked(let answer):
            guard isAbout(answer.input) else { return [] }
            failures = 0
            state =
                answer.available
                ? .available(answer) : .unavailable(reasons: answer.reasons, suggestions: answer.suggestions)
        case .checkFailed(let text, let failure):
            guard isAbout(text) else { return [] }
            // A refusal is known still. Its suggestions are missing.
            if case .unavailable = state {} else { state = .unknown }
            guard case .passing(let pause) = failure else { return [] }
            failures += 1
            return [.check(text, after: CallFailure.pause(after: failures, atLeast: pause))]
        case .refused(let text, let reasons):
            guard isAbout(text) else { return [] }
            state = .unavailable(reasons: reasons, suggestions: [])
            // For the suggestions.
            return [.check(text, after: .zero)]
        case .returned:
            return judge()
        }
        return []
    }

    /// Begins anew with the present text.
    private mutating func judge() -> [Effect] {
        failures = 0
        let format = HandleFormatValidation(text)
        if format == .valid {
            state = .checking
            return [.check(text, after: .zero)]
        }
        state = Reading(folding: text).length == 0 ? .empty : .malformed(format)
        return [.stopChecking]
    }

    /// Whether news about a text count: it is the present one, and the service may speak about it.
    private func isAbout(_ text: String) -> Bool {
        switch state {
        case .empty, .malformed: false
        case .checking, .available, .unavailable, .unknown: text.isSame(as: self.text)
        }
    }
}
