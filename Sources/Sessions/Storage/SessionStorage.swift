public import Foundation

/// Keeps the session of one person between starts of a program.
///
/// A store that can't be read is never taken for an empty one: `load` returns nil only when there is certainly nothing.
public protocol SessionStorage: Sendable {
    /// The content that was saved last; nil when nothing is stored.
    func load() throws(StorageError) -> Data?

    /// Replaces the stored content. After an error the content is as before.
    func save(_ data: Data) throws(StorageError)

    /// Removes the stored content, if there is any.
    func clear() throws(StorageError)

    /// Saves `new` if the stored content is still `old`.
    /// - Returns: false when something else is stored, or nothing, and so nothing was saved.
    func exchange(_ old: Data, for new: Data) throws(StorageError) -> Bool

    /// Takes the refresh lock. Of all processes that share the store, one at a time can hold it.
    /// - Returns: nil while the lock is held elsewhere.
    func tryLock() throws(StorageError) -> StorageLock?
}

extension SessionStorage {
    /// For stores that can't compare and save in one step.
    public func exchange(_ old: Data, for new: Data) throws(StorageError) -> Bool {
        guard try load() == old else { return false }
        try save(new)
        return true
    }

    /// For stores without a lock.
    public func tryLock() throws(StorageError) -> StorageLock? { StorageLock {} }
}

/// A lock that is held for as long as something refers to it.
public final class StorageLock: Sendable {
    private let release: @Sendable () -> Void

    /// - Parameter release: gives the lock up; called once.
    public init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
