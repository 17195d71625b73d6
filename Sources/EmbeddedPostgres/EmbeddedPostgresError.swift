/// Why the private PostgreSQL can't be had, as one sentence that says what to change.
public struct EmbeddedPostgresError: Error, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable {
        private enum Kind { case notInstalled, wrongVersion, inUse, noAccess, failed }
        private let kind: Kind

        /// No PostgreSQL server program is on this machine.
        public static let notInstalled = Code(kind: .notInstalled)
        /// The data were written by another major version of PostgreSQL.
        public static let wrongVersion = Code(kind: .wrongVersion)
        /// Another service works on the same data.
        public static let inUse = Code(kind: .inUse)
        /// The folder can't be made, read or written.
        public static let noAccess = Code(kind: .noAccess)
        /// A program of PostgreSQL failed.
        public static let failed = Code(kind: .failed)
    }

    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
