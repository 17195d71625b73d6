public import HandleCore

public import struct FoundationEssentials.Date

/// Which of the names in use are meant; what is not said lets every name through.
public struct NameFilter: Sendable {
    /// The states of which a name must have one; empty for any.
    public var states: [State] = []
    /// Who must hold or have the name, or have it reserved for them.
    public var owner: Owner?
    /// The letters with which a name must begin, in lowercase.
    public var prefix = ""
    /// What the reason of a reservation must contain, in any capitals.
    public var reason: String?
    /// The first moment at which a name may have changed last.
    public var since: Date?
    /// The moment before which a name must have changed last.
    public var before: Date?

    public init() {}
}
