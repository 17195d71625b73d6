/// What a key is good for. Each scope includes those before it.
package enum KeyScope: String, Sendable, CaseIterable, Comparable {
    /// To learn who has what.
    case read
    /// To hold, claim, rename and release names.
    case claim
    /// To do what is for admins, such as forgetting an owner.
    case admin

    /// Whether `right` includes `left`.
    package static func < (left: KeyScope, right: KeyScope) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .read: 0
        case .claim: 1
        case .admin: 2
        }
    }
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

    package func may(_ scope: KeyScope) -> Bool { scopes.contains { $0 >= scope } }
}
