import Foundation
import NIOConcurrencyHelpers
import Sessions

/// The content of a store, and the operations that fail at present.
final class SharedDisk: Sendable {
    struct Faults: Equatable {
        var load = false
        var save = false
        var clear = false
    }

    struct State {
        var data: Data?
        var faults = Faults()
    }

    let state = NIOLockedValueBox(State())
}

/// The store as one program sees it, until the program is killed.
final class DiskOfProgram: SessionStorage {
    private let disk: SharedDisk
    private let isDead = NIOLockedValueBox(false)

    init(_ disk: SharedDisk) { self.disk = disk }

    func kill() { isDead.withLockedValue { $0 = true } }

    func load() throws(SessionError) -> Data? {
        try access(.storeUnreadable, \.load) { $0 }
    }

    func save(_ data: Data) throws(SessionError) { try access(.notSaved, \.save) { $0 = data } }

    func clear() throws(SessionError) { try access(.notCleared, \.clear) { $0 = nil } }

    func exchange(_ old: Data, for new: Data) throws(SessionError) -> Bool {
        guard try load() == old else { return false }
        try save(new)
        return true
    }

    private func access<Value>(
        _ kind: SessionError.Code, _ fault: any KeyPath<SharedDisk.Faults, Bool> & Sendable,
        _ body: (inout Data?) -> Value
    ) throws(SessionError) -> Value {
        let value = disk.state.withLockedValue { state in
            state.faults[keyPath: fault] || isDead.withLockedValue(\.self) ? nil : body(&state.data)
        }
        guard let value else { throw SessionError(kind, "a fault that the test has set") }
        return value
    }
}
