/// What a key is good for. `read`, `claim` and `admin` each include those before them, and `admin` includes `metrics`.
package enum KeyScope: String, Sendable, CaseIterable {
    /// To learn who has what.
    case read
    /// To hold, claim, rename and release names.
    case claim
    /// To do what is for admins, such as forgetting an owner.
    case admin
    /// To learn how the service does, and nothing of any name: for the monitoring.
    case metrics

    /// Whether a key with this scope may do what needs the other.
    package func includes(_ other: KeyScope) -> Bool {
        switch self {
        case .metrics: other == .metrics
        case .read: other == .read
        case .claim: other == .claim || other == .read
        case .admin: true
        }
    }
}

extension Set<KeyScope> {
    /// The scopes as they are listed everywhere.
    package var inOrder: [KeyScope] { KeyScope.allCases.filter(contains) }
}

/// Who shows a key, as far as a request has to know.
package struct KeyHolder: Sendable, Hashable {
    /// The key's id: two holders may be called alike.
    package let id: String
    package let name: String
    package let scopes: Set<KeyScope>
    /// How much may be asked with the key; nil for as much as its holder likes.
    package let rate: Rate?

    package init(id: String, name: String, scopes: Set<KeyScope>, rate: Rate? = nil) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.rate = rate
    }

    /// The first key, which is configured and not kept in the database.
    package static let admin = KeyHolder(id: "admin", name: "admin", scopes: [.admin])

    /// Who is said to have made a change.
    package var actor: String { "key:\(name)" }

    package func may(_ scope: KeyScope) -> Bool { scopes.contains { $0.includes(scope) } }
}
