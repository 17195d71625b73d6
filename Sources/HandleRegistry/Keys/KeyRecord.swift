public import struct FoundationEssentials.Date

/// What is known of a key: everything but the key.
public struct KeyRecord: Sendable, Hashable {
    public let id: String
    public let name: String
    /// From the least to the most.
    public let scopes: [KeyScope]
    /// How much may be asked with it; nil for as much as its holder likes.
    public let rate: Rate?
    /// Who made it, or revoked it.
    public let actor: String
    public let createdAt: Date
    /// When it ends by itself; nil for no end.
    public let until: Date?
    public let revokedAt: Date?
    /// To the minute; nil when it has never been shown.
    public let lastUsedAt: Date?
    /// Whether its end had passed, by the database's clock, when the record was read.
    let hasEnded: Bool

    public enum State: String, Sendable, CaseIterable { case active, ended, revoked }

    public var state: State { revokedAt != nil ? .revoked : hasEnded ? .ended : .active }
}

/// What became of the wish to revoke a key.
public enum KeyRevocation: Sendable, Equatable {
    case revoked
    /// It had been revoked before.
    case already
    case notFound
}
