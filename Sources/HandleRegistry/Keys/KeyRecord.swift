package import struct FoundationEssentials.Date

/// The stored row of a key, without the key itself.
package struct KeyRecord: Sendable, Hashable {
    package let id: String
    package let name: String
    /// In the order of declaration of ``KeyScope``.
    package let scopes: [KeyScope]
    /// Rate limit of the key; nil for none.
    package let rate: Rate?
    /// The actor that made the key, or revoked it.
    package let actor: String
    package let createdAt: Date
    /// End of the key; nil for none.
    package let until: Date?
    package let revokedAt: Date?
    /// To the minute; nil if it was never used.
    package let lastUsedAt: Date?
    /// True if its end had passed, by the database's clock, when the row was read.
    let hasEnded: Bool

    package enum State: String, Sendable, CaseIterable { case active, ended, revoked }

    package var state: State { revokedAt != nil ? .revoked : hasEnded ? .ended : .active }
}

/// Outcome of revoking a key.
package enum KeyRevocation: Sendable, Equatable {
    case revoked
    /// It was revoked before.
    case already
    case notFound
}
