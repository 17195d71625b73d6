import Glibc

/// An advisory lock on a file, which the system releases when the process ends in whatever way. Only the file's owner can
/// open it: to lock it takes no more than that.
final class FileLock: Sendable {
    enum Mode { case shared, exclusive }

    private let descriptor: Int32
    let path: String

    /// How long others may keep a lock that is waited for. A start or a stop takes a second; only after a crash it takes longer.
    static let patience = Duration.seconds(30)
    private static let interval = Duration.milliseconds(20)

    /// Opens the file, making it when it is missing. Nothing is locked yet.
    init(path: String) throws(EmbeddedPostgresError) {
        self.path = path
        // Closed on exec, or the server that is started would keep the lock.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw EmbeddedPostgresError(.noAccess, cannot("open", path)) }
        // Versions before let everybody open it.
        guard fchmod(descriptor, 0o600) == 0 else {
            let error = EmbeddedPostgresError(.noAccess, cannot("close to other users", path))
            close(descriptor)
            throw error
        }
    }

    deinit {
        // Closing is not enough: a child that is being started has a copy of the descriptor until it calls exec.
        unlock()
        close(descriptor)
    }

    /// Takes the lock if nobody has it in a way that excludes `mode`. A lock already held changes its mode.
    func tryLock(_ mode: Mode) -> Bool {
        flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0
    }

    /// Waits for the lock, without keeping a thread.
    /// - Throws: ``EmbeddedPostgresError`` `.inUse` that names who has it, after a while; `CancellationError`.
    func lock(_ mode: Mode, within patience: Duration = patience) async throws {
        let deadline = ContinuousClock.now + patience
        while !tryLock(mode) {
            guard .now < deadline else {
                throw EmbeddedPostgresError(
                    .inUse,
                    "\(holder) has had \(path) locked for \(patience.components.seconds) seconds; stop it, or wait for it"
                )
            }
            // Asked again and again: nothing could cancel a thread that waits in `flock`.
            try await Task.sleep(for: Self.interval)
        }
    }

    func unlock() { flock(descriptor, LOCK_UN) }

    /// Who has the lock, as far as the system tells, for a sentence.
    var holder: String {
        var status = stat()
        guard fstat(descriptor, &status) == 0, let file = fopen("/proc/locks", "re") else { return "another process" }
        defer { fclose(file) }
        // "1: FLOCK  ADVISORY  WRITE 4711 fe:01:131075 0 EOF"; the device is not the one that `stat` tells on every file
        // system, and there is hardly another file with the same number that is locked.
        var processes: [String] = []
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
            let fields = text.split(separator: " ").filter { $0 != "->" }
            guard fields.count > 5, fields[1] == "FLOCK",
                fields[5].split(separator: ":").last.map({ UInt($0) == status.st_ino }) ?? false
            else { continue }
            processes.append(String(fields[4]))
        }
        processes.removeAll { $0 == "\(getpid())" }
        return processes.isEmpty ? "another process" : "process \(processes.joined(separator: ", "))"
    }
}

/// A sentence about a system call that has just failed.
func cannot(_ action: String, _ path: String) -> String {
    "can't \(action) \(path): \(String(cString: strerror(errno)))"
}
