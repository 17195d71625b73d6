/// The reason why a run over a whole file fails.
package struct BatchError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The file has more names than fit into memory.
        case tooLarge
        /// A report, the undo file or a temporary file can't be written.
        case cannotWrite
        /// The request can't be met for this file.
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
