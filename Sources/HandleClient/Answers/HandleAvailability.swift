public import HandleRules

/// The availability of a name: the service's answer about one text.
public struct HandleAvailability: Sendable, Hashable {
    /// The answer without its reasons.
    public enum Status: String, Sendable {
        /// There was no reason against the name at the time of the answer. A hold or claim decides.
        case available
        /// Well formed, but unavailable.
        case unavailable
        /// The text breaks a rule of form, so no caller can have it.
        case invalid
    }

    /// The text of the question.
    public let input: String
    /// The answer without its reasons.
    public let status: Status
    /// The handle that the text folds to; nil when it is malformed.
    public let handle: Handle?
    /// The handle with the capitals as typed.
    public let display: DisplayHandle?
    /// All reasons against the name; empty when it is available.
    public let reasons: [HandleReason]
    /// Available names to offer in its place.
    public let suggestions: [HandleSuggestion]

    /// Whether ``status`` is `.available`.
    public var available: Bool { status == .available }

    /// The answer for a malformed text, by the rules of form alone and without the service; nil when it is well formed.
    public init?(malformed input: String) {
        let reading = Reading(folding: input)
        guard !reading.isWellFormed else { return nil }
        self.input = input
        status = .invalid
        (handle, display, suggestions) = (nil, nil, [])
        reasons = reading.reasons.map { HandleReason($0) }
    }

    /// An answer as the service gives it, for tests.
    package init(_ input: String, reasons: [HandleReason] = [], suggestions: [HandleSuggestion] = []) {
        self.input = input
        display = Reading(folding: input).display
        handle = display?.handle
        status = display == nil ? .invalid : reasons.isEmpty ? .available : .unavailable
        self.reasons = reasons
        self.suggestions = suggestions
    }

    /// The answer about a text.
    /// - Throws: ``Unreadable`` when it is about another text or contradicts itself.
    init(_ wire: Wire, about input: String) throws(Unreadable) {
        let expected = Reading(folding: input).handle
        guard wire.input.utf8.elementsEqual(input.utf8), let status = Status(rawValue: wire.status),
            wire.handle.flatMap(Handle.init) == expected, wire.display.flatMap(DisplayHandle.init)?.handle == expected,
            (status == .invalid) == (expected == nil), (status == .available) == wire.reasons.isEmpty
        else { throw Unreadable() }
        self.input = input
        self.status = status
        handle = expected
        display = wire.display.flatMap(DisplayHandle.init)
        reasons = wire.reasons
        suggestions = (wire.suggestions ?? []).compactMap { HandleSuggestion($0) }
    }

    struct Wire: Decodable {
        struct Suggestion: Decodable {
            let display: String
            let method: String
        }

        let input: String
        let handle: String?
        let display: String?
        let status: String
        let reasons: [HandleReason]
        /// Missing when many names are checked.
        let suggestions: [Suggestion]?
    }
}

/// A name to offer in place of an unavailable one.
public struct HandleSuggestion: Sendable, Hashable, CustomStringConvertible {
    /// The name to offer, with capitals.
    public let display: DisplayHandle
    /// How it was made, such as `separator` or `number`.
    public let method: String

    /// The canonical handle of ``display``.
    public var handle: Handle { display.handle }
    /// The display handle.
    public var description: String { display.description }

    package init(_ display: DisplayHandle, method: String) {
        self.display = display
        self.method = method
    }

    init?(_ wire: HandleAvailability.Wire.Suggestion) {
        guard let display = DisplayHandle(wire.display) else { return nil }
        self.display = display
        method = wire.method
    }
}

/// The response does not match the contract.
struct Unreadable: Error {}
