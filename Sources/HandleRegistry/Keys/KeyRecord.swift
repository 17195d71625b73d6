package import struct FoundationEssentials.Date

/// What is known of a key: everything but the key.
package struct KeyRecord: Sendable, Hashable {
    package let id: String
    package let name: String
    /// From the least to the most.
    package let scopes: [KeyScope]
    /// How much may be asked with it; nil for as much as its holder likes.
    package let rate: Rate?
    /// Who made it, or revoked it.
    package let actor: String
    package let createdAt: Date
    /// When it ends by itself; nil for no end.
    package let until: Date?
    package let revokedAt: Date?
    /// To the minute; nil when it has never been shown.
    package let lastUsedAt: Date?
    /// Whether its end had passed, by the database's clock, when the record was read.
    let hasEnded: Bool

    package enum State: String, Sendable, CaseIterable { case active, ended, revoked }

    package var state: State { revokedAt != nil ? .revoked : hasEnded ? .ended : .active }
}

/// What became of the wish to revoke a key.
package enum KeyRevocation: Sendable, Equatable {
    case revoked
    /// It had been revoked before.
    case already
    case notFound
}
