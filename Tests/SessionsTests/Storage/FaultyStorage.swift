import Foundation
import NIOConcurrencyHelpers
import Sessions

/// A `MemoryStorage` that fails on request.
final class FaultyStorage: SessionStorage {
    struct State {
        var isReadable = true
        var isWritable = true
        var isLockable = true
        /// Whether another program has the lock.
        var isLocked = false
        var lockTries = 0
        /// The number of saves that still succeed; nil for all.
        var savesUntilFull: Int?
        var onSave: @Sendable () -> Void = {}
    }

    let state = NIOLockedValueBox(State())
    let memory = MemoryStorage()

    func load() throws(SessionError) -> Data? {
        guard state.withLockedValue(\.isReadable) else { throw SessionError(.storeUnreadable, "locked device") }
        return try memory.load()
    }

    func save(_ data: Data) throws(SessionError) {
        let hasRoom = state.withLockedValue { state in
            guard let left = state.savesUntilFull else { return state.isWritable }
            state.savesUntilFull = max(0, left - 1)
            return left > 0
        }
        guard hasRoom else { throw SessionError(.notSaved, "disk full") }
        try memory.save(data)
        state.withLockedValue(\.onSave)()
    }

    func clear() throws(SessionError) {
        guard state.withLockedValue(\.isWritable) else { throw SessionError(.notCleared, "disk full") }
        try memory.clear()
    }

    func tryLock() throws(SessionError) -> StorageLock? {
        let state = state.withLockedValue { state in
            state.lockTries += 1
            return state
        }
        guard state.isLockable else { throw SessionError(.notLocked, "disk full") }
        return state.isLocked ? nil : StorageLock {}
    }
}
