/// The permissions of a key. `read`, `claim`, `moderate` and `admin` each include those before them, and `admin` includes
/// `feed` and `metrics` too.
package enum KeyScope: String, Sendable, CaseIterable {
    /// Read records with their owners.
    case read
    /// Hold, claim, rename and release handles.
    case claim
    /// Take handles from owners, assign and reserve them, and lock owners.
    case moderate
    /// Admin requests, such as forgetting an owner.
    case admin
    /// Read all changes of the registry, with the owners.
    case feed
    /// Read the metrics of the service, but no handles: for monitoring.
    case metrics

    /// True if this scope permits what `other` permits.
    package func includes(_ other: KeyScope) -> Bool {
        switch self {
        case .metrics: other == .metrics
        case .feed: other == .feed
        case .read: other == .read
        case .claim: other == .claim || other == .read
        case .moderate: other == .moderate || other == .claim || other == .read
        case .admin: true
        }
    }
}

extension Set<KeyScope> {
    /// The scopes in the order of declaration, as they are listed everywhere.
    package var inOrder: [KeyScope] { KeyScope.allCases.filter(contains) }
}

/// The key of a request, without its secret.
package struct KeyHolder: Sendable, Hashable {
    /// The key's id. Two keys may have the same name.
    package let id: String
    package let name: String
    package let scopes: Set<KeyScope>
    /// Rate limit of the key; nil for none.
    package var rate: Rate?

    /// The first key, which comes from the configuration and not from the database.
    package static let admin = KeyHolder(id: "admin", name: "admin", scopes: [.admin])

    /// The actor of changes made with the key.
    package var actor: String { "key:\(name)" }

    package func may(_ scope: KeyScope) -> Bool { scopes.contains { $0.includes(scope) } }
}
