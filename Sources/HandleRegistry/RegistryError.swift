/// Why the registry can't do its work.
package struct RegistryError: Error, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        private enum Kind { case schemaFromFuture, unsuitableDatabase, overloaded, shareUsed }
        private let kind: Kind

        /// A newer version of this program has changed the schema.
        package static let schemaFromFuture = Code(kind: .schemaFromFuture)
        /// The database is set up in a way that names can't be kept in.
        package static let unsuitableDatabase = Code(kind: .unsuitableDatabase)
        /// As much as allowed is being done already, or the service is stopping.
        package static let overloaded = Code(kind: .overloaded)
        /// The caller has as much as one caller may have.
        package static let shareUsed = Code(kind: .shareUsed)
    }

    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
