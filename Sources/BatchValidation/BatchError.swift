/// Why a file can't be validated as a whole.
public struct BatchError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// It has more names than there is memory for.
        case tooLarge
        /// A report can't be written.
        case cannotWrite
        /// What was asked for can't be done with this file.
        case usage
    }

    public let code: Code
    /// One sentence that says what to change.
    public let description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
