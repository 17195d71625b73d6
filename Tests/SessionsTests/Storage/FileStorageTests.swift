import Foundation
import Sessions
import TestSupport
import Testing
import FileSessionStorage

@Suite struct FileStorageTests {
    private let folder = URL(fileURLWithPath: TemporaryFolder.make("sessions")).appendingPathComponent("app/auth")
    private var storage: FileStorage { FileStorage(folder: folder) }
    private var file: URL { folder.appendingPathComponent("session") }

    @Test func storagesWithTwoNamesKeepTwoSessions() throws {
        try FileStorage(folder: folder, name: "work").save(Data("work".utf8))
        #expect(try FileStorage(folder: folder, name: "home").load() == nil)
    }

    @Test func sessionFileIsReadableByItsUserOnly() throws {
        try storage.save(Data("secret".utf8))
        #expect(try mode(of: file) == 0o600)
        #expect(try mode(of: folder) == 0o700)
        // After a change of the modes, the next save restricts them again.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        try storage.save(Data("next".utf8))
        #expect(try mode(of: file) == 0o600)
        #expect(try mode(of: folder) == 0o700)
    }

    @Test func aPathThatIsNoFileIsUnreadableAndNotAbsent() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(throws: SessionError.self) { try storage.load() }
        #expect(throws: SessionError.self) { try storage.save(Data("next".utf8)) }
        // The folder is a file.
        let other = FileStorage(folder: URL(fileURLWithPath: TemporaryFolder.make()).appendingPathComponent("file"))
        let path = URL(fileURLWithPath: TemporaryFolder.make()).appendingPathComponent("file")
        try Data().write(to: path)
        #expect(try other.load() == nil)
        #expect { try FileStorage(folder: path).load() } throws: { ($0 as? SessionError)?.code == .storeUnreadable }
        #expect { try FileStorage(folder: path).save(Data()) } throws: { ($0 as? SessionError)?.code == .notSaved }
    }

    @Test func symbolicLinkIsNotFollowed() throws {
        try storage.save(Data("first".utf8))
        let target = folder.appendingPathComponent("elsewhere")
        try FileManager.default.moveItem(at: file, to: target)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        #expect(throws: SessionError.self) { try storage.load() }
        try storage.save(Data("second".utf8))
        #expect(try Data(contentsOf: target) == Data("first".utf8))
        #expect(try storage.load() == Data("second".utf8))
    }

    @Test func aFileThatIsTooLargeIsRefused() throws {
        try storage.save(Data(count: 1 << 20))
        #expect(try storage.load()?.count == 1 << 20)
        try storage.save(Data(count: 1 << 20 + 1))
        #expect { try storage.load() } throws: { ($0 as? SessionError)?.description.contains("larger") == true }
    }

    /// A program that is killed while it saves leaves such a version.
    @Test func clearRemovesAnUnfinishedVersionToo() throws {
        try storage.save(Data("first".utf8))
        let unfinished = folder.appendingPathComponent("session.new")
        try Data("second".utf8).write(to: unfinished)
        try storage.clear()
        #expect(!FileManager.default.fileExists(atPath: unfinished.path))
    }

    @Test func lockHasOneHolderAtATime() throws {
        var lock = try storage.tryLock()
        #expect(lock != nil)
        #expect(try storage.tryLock() == nil)
        lock = nil
        #expect(try storage.tryLock() != nil)
    }

    /// A real failing write: the program can't write a single byte into a file.
    @Test func fullDiskKeepsThePreviousVersion() async throws {
        try storage.save(Data("before".utf8))
        let probe = try await Probe.run(["save", folder.path], isDiskFull: true)
        #expect(probe.status == 1 && probe.errors.contains("can't write \(file.path)"), "\(probe)")
        #expect(try storage.load() == Data("before".utf8))
        #expect(try contents == ["session", "session.write-lock"])
    }

    /// `HANDLES_TEST_KILLS` sets the number of kills, such as 1000; 25 by default.
    @Test func killedProgramLeavesOneCompleteVersion() async throws {
        let rounds = ProcessInfo.processInfo.environment["HANDLES_TEST_KILLS"].flatMap(Int.init) ?? 25
        for _ in 0..<rounds {
            // The kill comes after some saves, at any point of a later one.
            try await Probe.killed(["save", folder.path], afterLines: .random(in: 1...20))
            let saved = try #require(try storage.load())
            let parts = String(decoding: saved, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(Int(parts[0]) == parts[1].count)
            #expect(try mode(of: file) == 0o600)
        }
        try storage.save(Data("after".utf8))
        #expect(try contents == ["session", "session.write-lock"])
    }

    private var contents: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private func mode(of url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }
}
