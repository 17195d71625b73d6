import Glibc

/// An advisory lock on a file, which the system releases when the process ends in whatever way.
final class FileLock: Sendable {
    enum Mode { case shared, exclusive }

    private let descriptor: Int32
    let path: String

    /// Opens the file, making it when it is missing. Nothing is locked yet.
    init(path: String) throws(EmbeddedPostgresError) {
        self.path = path
        // Closed on exec, or the server that is started would keep the lock.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw EmbeddedPostgresError(.noAccess, cannot("open", path)) }
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

    /// Waits for the lock; blocks the thread.
    func lock(_ mode: Mode) {
        while flock(descriptor, mode == .shared ? LOCK_SH : LOCK_EX) != 0, errno == EINTR {}
    }

    func unlock() { flock(descriptor, LOCK_UN) }

    /// Replaces what the file says, for a person who looks into it.
    func write(note: String) {
        ftruncate(descriptor, 0)
        _ = note.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }

    func readNote() -> String {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}

/// A sentence about a system call that has just failed.
func cannot(_ action: String, _ path: String) -> String {
    "can't \(action) \(path): \(String(cString: strerror(errno)))"
}
