/// Why a file can't be read.
package struct RecordsError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The file can't be opened, or reading from it failed.
        case noInput
        /// What is in it can't be used: damaged, in another encoding, without the column that was asked for.
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
