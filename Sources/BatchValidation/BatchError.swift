/// Why a file can't be validated as a whole.
package struct BatchError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// It has more names than there is memory for.
        case tooLarge
        /// A report can't be written.
        case cannotWrite
        /// What was asked for can't be done with this file.
        case usage
    }

    package let code: Code
    /// One sentence that says what to change.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
