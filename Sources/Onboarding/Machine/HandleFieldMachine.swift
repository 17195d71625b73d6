public import HandleClient
public import HandleRules

/// The state of a handle field and of the text in it. A pure value; a model performs its effects.
///
/// An answer counts only while its text is the current one, byte for byte. "Available" comes only from an answer of the
/// service about that text.
public struct HandleFieldMachine: Sendable, Hashable {
    /// The state of the name in the field, which decides what a view shows.
    public enum State: Sendable, Hashable {
        /// No name is typed.
        case empty
        /// A rule of form is broken; checked without the service.
        case malformed(HandleFormatValidation)
        /// The service has not answered yet.
        case checking
        /// The service has answered that the name is available.
        case available(HandleAvailability)
        /// The name is unavailable. Suggestions may arrive later than the reasons.
        case unavailable(reasons: [HandleReason], suggestions: [HandleSuggestion])
        /// The check has failed, which says nothing about the name. It is retried; the person may continue.
        case unknown
    }

    /// Actions of the person, and results of effects.
    public enum Event: Sendable, Hashable {
        /// The text of the field has changed to this.
        case typed(String)
        /// The field has lost the focus.
        case left
        /// The person wants to continue with the current text.
        case submitted
        /// The service has answered; an answer about another text than the current one is ignored.
        case checked(HandleAvailability)
        /// The check of this text has failed.
        case checkFailed(String, CallFailure)
        /// A hold or a claim of this text was refused.
        case refused(String, [HandleReason])
        /// The field is shown again, with its previous text.
        case returned
    }

    /// An action for the model.
    public enum Effect: Sendable, Hashable {
        /// Check a text, after a pause and superseding any other check.
        case check(String, after: Duration)
        /// Cancel the check.
        case stopChecking
    }

    /// The text as typed.
    public private(set) var text = ""
    /// The state of the current text.
    public private(set) var state = State.empty
    /// Whether the person has left the field since it was empty, or tried to continue. Before that, the text may still
    /// be incomplete.
    public private(set) var hasLeft = false
    /// Consecutive failed checks of this text.
    private var failures = 0

    /// An empty field.
    public init() {}

    /// The name in the field with its capitals; nil when it is malformed.
    public var display: DisplayHandle? { Reading(folding: text).display }

    /// Changes the state, and returns the effects to perform, in order.
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
                ? .available(answer)
                : .unavailable(
                    reasons: answer.reasons, suggestions: answer.reasons.excludeOtherNames ? [] : answer.suggestions)
        case .checkFailed(let text, let failure):
            guard isAbout(text) else { return [] }
            // A refusal stays known; only its suggestions are missing.
            if case .unavailable = state {} else { state = .unknown }
            guard case .passing(let pause) = failure else { return [] }
            failures += 1
            return [.check(text, after: CallFailure.pause(after: failures, atLeast: pause))]
        case .refused(let text, let reasons):
            guard isAbout(text) else { return [] }
            state = .unavailable(reasons: reasons, suggestions: [])
            if reasons.excludeOtherNames { return [.stopChecking] }
            // Checks again to get suggestions.
            return [.check(text, after: .zero)]
        case .returned:
            return judge()
        }
        return []
    }

    /// Starts over with the current text.
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

    /// Whether a result for a text counts: it must be the current text, and one that needs the service.
    private func isAbout(_ text: String) -> Bool {
        switch state {
        case .empty, .malformed: false
        case .checking, .available, .unavailable, .unknown: text.isSame(as: self.text)
        }
    }
}

extension [HandleReason] {
    /// Whether the person can't get other names either, for a time.
    fileprivate var excludeOtherNames: Bool { contains { [.tooManyChanges, .ownerLocked].contains($0.code) } }
}
