/// Why the registry can't do its work.
public struct RegistryError: Error, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable {
        private enum Kind { case schemaFromFuture, unsuitableDatabase, overloaded }
        private let kind: Kind

        /// A newer version of this program has changed the schema.
        public static let schemaFromFuture = Code(kind: .schemaFromFuture)
        /// The database is set up in a way that names can't be kept in.
        public static let unsuitableDatabase = Code(kind: .unsuitableDatabase)
        /// As much as allowed is being done already, or the service is stopping.
        public static let overloaded = Code(kind: .overloaded)
    }

    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
