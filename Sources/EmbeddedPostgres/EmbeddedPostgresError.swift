/// The reason why the private PostgreSQL is unavailable, as one sentence that says what to change.
package struct EmbeddedPostgresError: Error, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        private enum Kind { case notInstalled, wrongVersion, inUse, noAccess, failed }
        private let kind: Kind

        /// No PostgreSQL server program is installed.
        package static let notInstalled = Code(kind: .notInstalled)
        /// The data were written by another major version of PostgreSQL.
        package static let wrongVersion = Code(kind: .wrongVersion)
        /// Another service uses the same data.
        package static let inUse = Code(kind: .inUse)
        /// The folder can't be created, read or written.
        package static let noAccess = Code(kind: .noAccess)
        /// A program of PostgreSQL failed.
        package static let failed = Code(kind: .failed)
    }

    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
