/// A trait of the package, by its name in the manifest: a part that is built only on demand, because its cryptography
/// takes long to build.
package enum PackageTrait: String, CaseIterable, Sendable {
    case identityTokens = "IdentityTokens"
    case tls = "TLS"

    /// Whether this program was built with the trait.
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

    /// Names of the traits that this program was built with.
    package static var builtIn: [String] { allCases.filter(\.isBuiltIn).map(\.rawValue) }
}
