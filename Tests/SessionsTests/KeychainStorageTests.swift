import Foundation
import NIOConcurrencyHelpers
import Sessions
import Testing

@Suite struct KeychainStorageTests {
    /// A keychain with one item, which can be locked, and to which another program may add it first.
    private final class Keychain: Sendable {
        let item = NIOLockedValueBox<Data?>(nil)
        let status = NIOLockedValueBox<Int32>(0)
        let addsFirst = NIOLockedValueBox<Data?>(nil)

        var storage: KeychainStorage {
            KeychainStorage(
                .init(
                    read: { self.answer { $0 == nil ? -25_300 : 0 }.withItem },
                    add: { data in
                        if let other = self.addsFirst.withLockedValue({ $0 }) {
                            self.item.withLockedValue { $0 = other }
                        }
                        return self.answer { item in
                            guard item == nil else { return -25_299 }
                            item = data
                            return 0
                        }.status
                    },
                    update: { data in
                        self.answer { item in
                            guard item != nil else { return -25_300 }
                            item = data
                            return 0
                        }.status
                    },
                    delete: {
                        self.answer { item in
                            defer { item = nil }
                            return item == nil ? -25_300 : 0
                        }.status
                    }))
        }

        private func answer(_ body: (inout Data?) -> Int32) -> (status: Int32, withItem: (Int32, Data?)) {
            let fault = status.withLockedValue { $0 }
            if fault != 0 { return (fault, (fault, nil)) }
            return item.withLockedValue { item in
                let status = body(&item)
                return (status, (status, item))
            }
        }
    }

    @Test func whatIsSavedIsReadUntilItIsCleared() throws {
        let storage = Keychain().storage
        #expect(try storage.load() == nil)
        try storage.save(Data("first".utf8))
        try storage.save(Data("second".utf8))
        #expect(try storage.load() == Data("second".utf8))
        try storage.clear()
        try storage.clear()
        #expect(try storage.load() == nil)
    }

    @Test func aLockedDeviceIsNotSignedOut() throws {
        let keychain = Keychain()
        try keychain.storage.save(Data("session".utf8))
        keychain.status.withLockedValue { $0 = -25_308 }
        #expect { try keychain.storage.load() } throws: { ($0 as? StorageError)?.kind == .unreadable }
        #expect { try keychain.storage.save(Data()) } throws: { ($0 as? StorageError)?.kind == .notSaved }
        #expect { try keychain.storage.clear() } throws: { ($0 as? StorageError)?.kind == .notCleared }
        keychain.status.withLockedValue { $0 = 0 }
        #expect(try keychain.storage.load() == Data("session".utf8))
    }

    @Test func anItemThatAnotherProgramAddedIsReplaced() throws {
        let keychain = Keychain()
        keychain.addsFirst.withLockedValue { $0 = Data("other".utf8) }
        try keychain.storage.save(Data("ours".utf8))
        #expect(try keychain.storage.load() == Data("ours".utf8))
    }
}
