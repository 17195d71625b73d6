import Foundation
import TestSupport
import Testing

@testable import EmbeddedPostgres

/// The data folder is closed to other users, and so are its locks.
struct DataFolderTests {
    private func mode(_ path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        return Int(status.st_mode & 0o777)
    }

    @Test func dataFolderAndItsLocksAreClosedToOtherUsers() async throws {
        let new = TemporaryFolder.make() + "/new"
        _ = try EmbeddedPostgres(folder: new)
        #expect(try mode(new) == 0o700)
        // As after `cp -r` or another tool that changes modes.
        let old = try await preparedFolder()
        #expect(chmod(old, 0o755) == 0)
        try await EmbeddedPostgres(folder: old).use(as: .service) { _ in }
        #expect(try mode(old) == 0o700)
        for name in ["service.lock", "start.lock", "use.lock"] { #expect(try mode("\(old)/\(name)") == 0o600) }
    }

    /// The folder may be a home directory, so its mode is not changed.
    @Test func folderWithOtherFilesIsRefusedAndUnchanged() async throws {
        let folder = TemporaryFolder.make()
        #expect(chmod(folder, 0o755) == 0)
        try "".write(toFile: "\(folder)/letter", atomically: true, encoding: .utf8)
        let error = #expect(throws: EmbeddedPostgresError.self) { try EmbeddedPostgres(folder: folder) }
        #expect(error?.code == .noAccess && error?.description.contains("chmod 700") == true)
        #expect(try mode(folder) == 0o755)
        #expect(chmod(folder, 0o700) == 0)
        _ = try EmbeddedPostgres(folder: folder)
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a folder away"))
    func folderOfAnotherUserIsRefused() async throws {
        let folder = TemporaryFolder.make()
        #expect(chown(folder, 65534, 65534) == 0)
        let error = #expect(throws: EmbeddedPostgresError.self) { try EmbeddedPostgres(folder: folder) }
        #expect(error?.code == .noAccess && error?.description.contains("belongs to the user") == true)
    }

    @Test(.timeLimit(.minutes(5))) func waitForALockEndsAtItsTimeoutOrWhenCancelled() async throws {
        let folder = try await preparedFolder()
        let path = "\(folder)/start.lock"
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        other.arguments = ["--exclusive", "--no-fork", path, "sleep", "600"]
        try other.run()
        defer { other.terminate() }
        let lock = try FileLock(path: path)
        try await eventually("the other process has the lock") {
            let isFree = lock.tryLock(.exclusive)
            if isFree { lock.unlock() }
            return !isFree
        }
        let error = await #expect(throws: EmbeddedPostgresError.self) {
            try await lock.lock(.exclusive, within: .milliseconds(50))
        }
        #expect(error?.code == .inUse && error?.description.contains("process \(other.processIdentifier)") == true)
        // A cancelled caller stops waiting too.
        let using = Task { try await EmbeddedPostgres(folder: folder).use(as: .command) { _ in } }
        using.cancel()
        await #expect(throws: CancellationError.self) { try await using.value }
    }
}
