import Foundation
import NIOConcurrencyHelpers
import Sessions
import TestSupport
import Testing
import FileSessionStorage

/// The promises of every storage.
@Suite struct SessionStorageTests {
    enum Kind: CaseIterable {
        case file, keychain, memory

        var storage: any SessionStorage {
            switch self {
            case .file: FileStorage(folder: URL(fileURLWithPath: TemporaryFolder.make("sessions")))
            case .keychain: Keychain().storage
            case .memory: MemoryStorage()
            }
        }
    }

    @Test(arguments: Kind.allCases) func savedContentIsReadUntilItIsCleared(_ kind: Kind) throws {
        let storage = kind.storage
        #expect(try storage.load() == nil)
        try storage.save(Data("first".utf8))
        try storage.save(Data("second".utf8))
        #expect(try storage.load() == Data("second".utf8))
        try storage.clear()
        try storage.clear()
        #expect(try storage.load() == nil)
    }

    @Test(arguments: Kind.allCases) func exchangeSavesOnlyOverTheExpectedContent(_ kind: Kind) throws {
        let storage = kind.storage
        #expect(try !storage.exchange(Data("a".utf8), for: Data("b".utf8)))
        #expect(try storage.load() == nil)
        try storage.save(Data("a".utf8))
        #expect(try storage.exchange(Data("a".utf8), for: Data("b".utf8)))
        #expect(try !storage.exchange(Data("a".utf8), for: Data("c".utf8)))
        #expect(try storage.load() == Data("b".utf8))
    }

    // MARK: The keychain

    @Test func lockedDeviceKeepsItsSession() throws {
        let keychain = Keychain()
        try keychain.storage.save(Data("session".utf8))
        keychain.status.withLockedValue { $0 = -25_308 }
        #expect { try keychain.storage.load() } throws: { ($0 as? SessionError)?.code == .storeUnreadable }
        #expect { try keychain.storage.save(Data()) } throws: { ($0 as? SessionError)?.code == .notSaved }
        #expect { try keychain.storage.clear() } throws: { ($0 as? SessionError)?.code == .notCleared }
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
