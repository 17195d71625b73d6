public import Foundation
import HTTPLoading

/// Stores the session until the program ends, for tests and previews. Copies share the stored session.
public struct MemoryStorage: SessionStorage, CustomReflectable {
    private let stored = Locked<Data?>(nil)

    /// An empty store.
    public init() {}

    public func load() throws(SessionError) -> Data? { stored.withValue { $0 } }
    public func save(_ data: Data) throws(SessionError) { stored.withValue { $0 = data } }
    public func clear() throws(SessionError) { stored.withValue { $0 = nil } }

    public func exchange(_ old: Data, for new: Data) throws(SessionError) -> Bool {
        stored.withValue { data in
            guard data == old else { return false }
            data = new
            return true
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
