import FoundationEssentials
import Glibc

/// An advisory lock on a file, which the system releases when the process ends for any reason. Only the file's owner
/// can open it, because opening it is enough to lock it.
final class FileLock: Sendable {
    enum Mode { case shared, exclusive }

    private let descriptor: Int32
    let path: String

    /// Timeout of waiting for a lock. A start or a stop takes a second; only after a crash it takes longer.
    static let patience = Duration.seconds(30)
    private static let interval = Duration.milliseconds(20)

    /// Opens the file, creating it if missing. Takes no lock yet.
    init(path: String) throws(EmbeddedPostgresError) {
        self.path = path
        // Closed on exec; otherwise the started server would keep the lock.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw EmbeddedPostgresError(.noAccess, cannot("open", path)) }
    }

    deinit {
        // Closing is not enough: a child process that is just starting has a copy of the descriptor until it calls
        // exec.
        unlock()
        close(descriptor)
    }

    /// Takes the lock unless another holder excludes `mode`. For a lock that is already held, changes its mode.
    func tryLock(_ mode: Mode) -> Bool {
        flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0
    }

    /// Waits for the lock, without blocking a thread.
    /// - Throws: ``EmbeddedPostgresError`` `.inUse` after the timeout, which names the holder; `CancellationError`.
    func lock(_ mode: Mode, within patience: Duration = patience) async throws {
        let deadline = ContinuousClock.now + patience
        while !tryLock(mode) {
            guard .now < deadline else {
                throw EmbeddedPostgresError(
                    .inUse,
                    "\(holder) has had \(path) locked for \(patience.components.seconds) seconds; stop it, or wait for it"
                )
            }
            // Polls, because a thread that waits in `flock` can't be cancelled.
            try await Task.sleep(for: Self.interval)
        }
    }

    func unlock() { flock(descriptor, LOCK_UN) }

    /// The holder of the lock for an error message, as far as the system tells.
    var holder: String {
        var status = stat()
        guard fstat(descriptor, &status) == 0, let locks = FileManager.default.contents(atPath: "/proc/locks") else {
            return "another process"
        }
        // "1: FLOCK  ADVISORY  WRITE 4711 fe:01:131075 0 EOF". Only the inode number is compared: on some file systems
        // the device differs from that of `stat`, and another locked file with the same number is unlikely.
        let processes = String(decoding: locks, as: UTF8.self).split(separator: "\n").compactMap { line -> Substring? in
            let fields = line.split(separator: " ").filter { $0 != "->" }
            guard fields.count > 5, fields[1] == "FLOCK", fields[4] != "\(getpid())",
                fields[5].split(separator: ":").last.map({ UInt($0) == status.st_ino }) ?? false
            else { return nil }
            return fields[4]
        }
        return processes.isEmpty ? "another process" : "process \(processes.joined(separator: ", "))"
    }
}

/// A sentence about a system call that has just failed.
func cannot(_ action: String, _ path: String) -> String {
    "can't \(action) \(path): \(String(cString: strerror(errno)))"
}
