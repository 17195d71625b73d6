/// A fault that keeps the registry from its work.
package struct RegistryError: Error, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        private enum Kind { case schemaFromFuture, unsuitableDatabase, overloaded, shareUsed }
        private let kind: Kind

        /// A newer version of this program has changed the schema.
        package static let schemaFromFuture = Code(kind: .schemaFromFuture)
        /// The configuration of the database does not allow storing handles correctly.
        package static let unsuitableDatabase = Code(kind: .unsuitableDatabase)
        /// A limit of the service is reached, or the service is stopping.
        package static let overloaded = Code(kind: .overloaded)
        /// The caller's share of a limit is used up.
        package static let shareUsed = Code(kind: .shareUsed)
    }

    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
