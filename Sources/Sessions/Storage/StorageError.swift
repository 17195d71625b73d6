/// A failed operation on stored sessions. It never loses a session.
public struct StorageError: Error, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The store could not be read, so it is unknown whether there is a session. It may be readable later.
        case unreadable
        /// The stored content is not a session: it belongs to another program or a newer version.
        case damaged
        /// Nothing was saved; the stored content is unchanged.
        case notSaved
        /// The stored content could not be removed.
        case notCleared
        /// The lock could not be requested.
        case notLocked
    }

    public let kind: Kind
    /// The operation, its place and the reason. Never a token.
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
