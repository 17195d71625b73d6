public import Foundation

/// Stores the session of one person between launches of a program.
///
/// A store that can't be read must not look empty: `load` returns nil only when it is certain that nothing is stored.
public protocol SessionStorage: Sendable {
    /// The content that was saved last; nil when nothing is stored.
    func load() throws(SessionError) -> Data?

    /// Replaces the stored content. After an error the content is unchanged.
    func save(_ data: Data) throws(SessionError)

    /// Removes the stored content, if there is any.
    func clear() throws(SessionError)

    /// Saves `new` if the stored content is still `old`.
    /// - Returns: false when something else, or nothing, is stored; then nothing was saved.
    func exchange(_ old: Data, for new: Data) throws(SessionError) -> Bool

    /// Takes the refresh lock. Of all processes that share the store, only one can hold it at a time.
    /// - Returns: nil while another holder has the lock.
    func tryLock() throws(SessionError) -> StorageLock?
}

extension SessionStorage {
    /// For stores that can't compare and save in one step.
    public func exchange(_ old: Data, for new: Data) throws(SessionError) -> Bool {
        guard try load() == old else { return false }
        try save(new)
        return true
    }

    /// For stores without a lock.
    public func tryLock() throws(SessionError) -> StorageLock? { StorageLock {} }
}

/// A lock that is held while this object is referenced.
public final class StorageLock: Sendable {
    private let release: @Sendable () -> Void

    /// - Parameter release: releases the lock; called once.
    public init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
