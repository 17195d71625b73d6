/// A store of sessions could not do what it was asked to. No session was lost by it.
public struct StorageError: Error, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The store could not be read, so whether there is a session is not known. It may be readable later.
        case unreadable
        /// What is stored was read and is no session: another program's, or a newer version's.
        case damaged
        /// Nothing was saved; what was stored before still is.
        case notSaved
        /// What is stored could not be removed.
        case notCleared
        /// The lock could not be asked for.
        case notLocked
    }

    public let kind: Kind
    /// What failed, where, and why. Never a token.
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
