/// The reason why a file can't be read.
package struct RecordsError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The file can't be opened, or reading it failed.
        case noInput
        /// The content is unusable: damaged, in another encoding, or without a requested column.
        case unreadable
    }

    package let code: Code
    /// One sentence that names the file and says what to change.
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
