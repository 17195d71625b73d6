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
        let folder = "\(root)/handles-tests-\(getpid())-\(mark)-\(name)"
        let isFirst = made.withLockedValue { made in
            made.append(folder)
            return made.count == 1
        }
        if isFirst { atexit { TemporaryFolder.removeAll() } }
        return folder
    }

    private static func removeAll() {
        let folders = made.withLockedValue({ $0 })
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
