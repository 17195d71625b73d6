import Foundation
import NIOConcurrencyHelpers
import Sessions
import Testing

@Suite struct KeychainStorageTests {
    @Test func lockedDeviceKeepsItsSession() throws {
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
