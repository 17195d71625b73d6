/// A name to offer in place of an unavailable one.
public struct Suggestion: Hashable, Sendable {
    /// The name to offer, with capitals.
    public let display: DisplayHandle
    /// How the name was made from the typed one.
    public let method: Method

    /// The canonical handle of ``display``.
    public var handle: Handle { display.handle }

    package init(display: DisplayHandle, method: Method) { (self.display, self.method) = (display, method) }

    /// How a suggestion was made. A list of suggestions mixes several methods.
    public enum Method: String, Sendable, CaseIterable {
        /// The parts of the name with an underscore between them, or in the other order.
        case separator
        /// First and last name run together.
        case firstLast = "first_last"
        /// Initials with the rest of the name.
        case initials
        /// A friendly word before or after the name.
        case affix
        /// The name shortened.
        case abbreviation
        /// A thing or a quality next to the name.
        case word
        /// The name with a small number.
        case number
        /// Two words unrelated to the name, for names that no handle can contain.
        case fresh
    }
}
