/// The reason why the private PostgreSQL is unavailable, as one sentence that says what to change.
package struct EmbeddedPostgresError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        /// No PostgreSQL server program is installed.
        case notInstalled
        /// The data were written by another major version of PostgreSQL.
        case wrongVersion
        /// Another service uses the same data.
        case inUse
        /// The folder can't be created, read or written.
        case noAccess
        /// A program of PostgreSQL failed.
        case failed
    }

    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
