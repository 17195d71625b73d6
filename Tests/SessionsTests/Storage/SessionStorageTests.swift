import Foundation
import Sessions
import TestSupport
import Testing

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
}
