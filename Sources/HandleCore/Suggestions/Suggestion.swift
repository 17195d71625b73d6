/// A name to offer instead of one that can't be had.
public struct Suggestion: Hashable, Sendable {
    public let display: DisplayHandle
    public let method: Method

    public var handle: Handle { display.handle }

    /// How a suggestion was made; people are shown several kinds, not five of one.
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
        /// Two words that have nothing to do with the name, for when the name itself can't be in a handle.
        case fresh
    }
}
