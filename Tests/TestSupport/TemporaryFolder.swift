package import Foundation
import NIOConcurrencyHelpers

/// Folders for tests. When the process ends they are removed, and any PostgreSQL in one of them is stopped.
package enum TemporaryFolder {
    /// The parent folder: in memory if at least 8 GiB are free there, else `/tmp`. The databases of tests are thousands
    /// of files, which a disk is slow to remove.
    private static let root: String = {
        let (memory, neededBytes) = ("/dev/shm", UInt(8) << 30)
        var file = statvfs()
        let isLarge = statvfs(memory, &file) == 0 && file.f_bavail * file.f_frsize >= neededBytes
        return isLarge && access(memory, W_OK) == 0 ? memory : "/tmp"
    }()

    /// Distinguishes this process from an earlier one with the same process id, which may have left folders behind.
    private static let mark = UInt32.random(in: 0 ... .max)
    private static let made = NIOLockedValueBox<[String]>([])

    /// A new empty folder with a random name, for one test.
    package static func make(_ name: String = "folder") -> String {
        let folder = forProcess("\(name)-\(UInt32.random(in: 0 ... .max))")
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// A path that only this process uses. The folder is not created.
    static func forProcess(_ name: String) -> String {
        let folder = "\(prefix)-\(name)"
        let isFirst = made.withLockedValue { made in
            made.append(folder)
            return made.count == 1
        }
        if isFirst { begin() }
        return folder
    }

    /// The prefix of all paths of this process.
    private static let prefix = "\(root)/\(kind)\(getpid())-\(mark)"
    private static let kind = "handles-tests-"
    private static let lockEnding = ".lock"

    /// Registers the removal of the folders at exit, and removes the folders of processes that have crashed. A running
    /// process is recognised by a lock file that it keeps locked.
    private static func begin() {
        // Never closed: the system releases the lock however the process ends.
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

    /// Locks a file; nil if another process has locked it.
    private static func lock(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private static func remove(_ folders: [String]) {
        for folder in folders { endServers(below: folder) }
        // `rm` is ten times as fast as FileManager, and a cluster has tens of thousands of files.
        let remover = Process()
        remover.executableURL = URL(fileURLWithPath: "/bin/rm")
        remover.arguments = ["-rf", "--"] + folders
        if (try? remover.run()) != nil { remover.waitUntilExit() }
    }

    /// Stops each PostgreSQL that has its data in this folder or below. The data folders themselves are not searched.
    private static func endServers(below folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        if names.contains("postmaster.pid"), let process = postmaster("\(folder)/postmaster.pid") {
            // An immediate shutdown: these data are not needed any more.
            kill(process, SIGQUIT)
            reportCrashes("\(folder)/server.log")
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

    /// Prints the crashes in a server's log. A crash may explain a failed test, and the log is removed with the folder.
    private static func reportCrashes(_ log: String) {
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return }
        for line in text.split(separator: "\n") where line.contains("PANIC") || line.contains("terminated by signal") {
            FileHandle.standardError.write(Data("the PostgreSQL of a test crashed: \(line)\n".utf8))
        }
    }

    /// The process that a `postmaster.pid` names.
    package static func postmaster(_ path: String) -> pid_t? {
        let note = try? String(contentsOfFile: path, encoding: .utf8)
        return note?.split(separator: "\n").first.flatMap { pid_t($0) }
    }
}
