public import HandleCore

/// Whether a name can be had, as the service says of one text.
public struct HandleAvailability: Sendable, Hashable {
    public enum Status: String, Sendable {
        case available
        /// Well formed, and not to be had.
        case unavailable
        /// The text breaks a rule of form, so no caller can have it.
        case invalid
    }

    /// The text that was asked about.
    public let input: String
    public let status: Status
    /// The handle that the text is; nil when it is none.
    public let handle: Handle?
    /// The same with its capitals.
    public let display: DisplayHandle?
    /// Everything that stands against the name; empty when it is available.
    public let reasons: [HandleReason]
    /// Names that can be had instead.
    public let suggestions: [HandleSuggestion]

    public var available: Bool { status == .available }

    /// What the rules of form say of a text, without the service; nil when it is well formed.
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
    /// - Throws: ``Unreadable`` when it is about another one, or contradicts itself.
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
        /// None in a question about many names.
        let suggestions: [Suggestion]?
    }
}

/// A name to offer instead.
public struct HandleSuggestion: Sendable, Hashable, CustomStringConvertible {
    public let display: DisplayHandle
    /// How it was made, such as `separator` or `number`.
    public let method: String

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

/// An answer is not as the contract describes it.
struct Unreadable: Error {}
