/// A part of the program that is built on demand, because the cryptography it needs takes long to build: a trait of the
/// package, by the name that the manifest gives it.
package enum PackageTrait: String, CaseIterable, Sendable {
    case identityTokens = "IdentityTokens"
    case tls = "TLS"

    /// Whether this program has it.
    package var isBuiltIn: Bool {
        switch self {
        case .identityTokens:
            #if IdentityTokens
            true
            #else
            false
            #endif
        case .tls:
            #if TLS
            true
            #else
            false
            #endif
        }
    }

    /// The names of those that this program has.
    package static var builtIn: [String] { allCases.filter(\.isBuiltIn).map(\.rawValue) }
}
