public import Foundation

/// Keeps the session for as long as the program runs, for tests and previews. Copies share what is stored.
public struct MemoryStorage: SessionStorage, CustomReflectable {
    /// Safe to share: every access of `data` holds the lock.
    private final class Box: @unchecked Sendable {
        private let lock = NSLock()
        private var data: Data?

        func withData<Value>(_ body: (inout Data?) -> Value) -> Value { lock.withLock { body(&data) } }
    }

    private let box = Box()

    public init() {}

    public func load() throws(StorageError) -> Data? { box.withData { $0 } }
    public func save(_ data: Data) throws(StorageError) { box.withData { $0 = data } }
    public func clear() throws(StorageError) { box.withData { $0 = nil } }

    public func exchange(_ old: Data, for new: Data) throws(StorageError) -> Bool {
        box.withData { data in
            guard data == old else { return false }
            data = new
            return true
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
