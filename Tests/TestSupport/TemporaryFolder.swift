package import Foundation
import NIOConcurrencyHelpers

/// Folders for tests, removed when the process ends, together with any PostgreSQL that runs in one.
package enum TemporaryFolder {
    /// Where they are: in memory, when there is much of it. The tests' databases are thousands of files, which a disk is slow
    /// to remove.
    private static let root: String = {
        let (memory, neededBytes) = ("/dev/shm", UInt(8) << 30)
        var file = statvfs()
        let isLarge = statvfs(memory, &file) == 0 && file.f_bavail * file.f_frsize >= neededBytes
        return isLarge && access(memory, W_OK) == 0 ? memory : "/tmp"
    }()

    /// A process of the same number may have left folders behind.
    private static let mark = UInt32.random(in: 0 ... .max)
    private static let made = NIOLockedValueBox<[String]>([])

    /// A new empty folder that only this test knows.
    package static func make(_ name: String = "folder") -> String {
        let folder = forProcess("\(name)-\(UInt32.random(in: 0 ... .max))")
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// A path that only this process uses; the folder is not made.
    static func forProcess(_ name: String) -> String {
        let folder = "\(prefix)-\(name)"
        let isFirst = made.withLockedValue { made in
            made.append(folder)
            return made.count == 1
        }
        if isFirst { begin() }
        return folder
    }

    /// What the paths of all folders of this process begin with.
    private static let prefix = "\(root)/\(kind)\(getpid())-\(mark)"
    private static let kind = "handles-tests-"
    private static let lockEnding = ".lock"

    /// Sees to it that the folders are removed at the end of the process, and removes those of processes that have crashed.
    /// Each process has a file locked for as long as it lives.
    private static func begin() {
        // Never closed: the system unlocks it when the process ends in whatever way.
        if lock(prefix + lockEnding) != nil { made.withLockedValue { $0.append(prefix + lockEnding) } }
        atexit { TemporaryFolder.remove(TemporaryFolder.made.withLockedValue { $0 }) }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        for name in names where name.hasPrefix(kind) && name.hasSuffix(lockEnding) {
            guard let descriptor = lock("\(root)/\(name)") else { continue }
            let start = name.dropLast(lockEnding.count) + "-"
            remove((names.filter { $0.hasPrefix(start) } + [name]).map { "\(root)/\($0)" })
            close(descriptor)
        }
    }

    /// Locks a file; nil when another process has it locked.
    private static func lock(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private static func remove(_ folders: [String]) {
        for folder in folders { endServers(below: folder) }
        // A program does it ten times as fast as FileManager, and a cluster has tens of thousands of files.
        let remover = Process()
        remover.executableURL = URL(fileURLWithPath: "/bin/rm")
        remover.arguments = ["-rf", "--"] + folders
        if (try? remover.run()) != nil { remover.waitUntilExit() }
    }

    /// Ends each PostgreSQL whose data lie in a folder or below. What is inside the data is not looked at.
    private static func endServers(below folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        if names.contains("postmaster.pid"), let process = postmaster("\(folder)/postmaster.pid") {
            // At once and without a word: nobody needs these data.
            kill(process, SIGQUIT)
            tellOfCrashes("\(folder)/server.log")
            usleep(100_000)
        }
        guard !names.contains("PG_VERSION") else { return }
        for name in names {
            var isFolder: ObjCBool = false
            let path = "\(folder)/\(name)"
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
                endServers(below: path)
            }
        }
    }

    /// A server that fell over in the middle explains much that went wrong, and its log is gone with the folder.
    private static func tellOfCrashes(_ log: String) {
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return }
        for line in text.split(separator: "\n") where line.contains("PANIC") || line.contains("terminated by signal") {
            FileHandle.standardError.write(Data("a test's PostgreSQL fell over: \(line)\n".utf8))
        }
    }

    /// The process that a `postmaster.pid` names.
    package static func postmaster(_ path: String) -> pid_t? {
        let note = try? String(contentsOfFile: path, encoding: .utf8)
        return note?.split(separator: "\n").first.flatMap { pid_t($0) }
    }
}
