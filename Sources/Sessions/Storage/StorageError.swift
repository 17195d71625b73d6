/// An operation on stored sessions failed. No session was lost by it.
public struct StorageError: Error, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The store could not be read, so whether there is a session is not known. It may be readable later.
        case unreadable
        /// The stored content was read and is no session: it is another program's, or a newer version's.
        case damaged
        /// Nothing was saved; the stored content is as before.
        case notSaved
        /// The stored content could not be removed.
        case notCleared
        /// The lock could not be asked for.
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
