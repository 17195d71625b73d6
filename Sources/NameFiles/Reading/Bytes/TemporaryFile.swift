import Glibc

/// A file without a name, for data that are read more than once. It disappears when it is closed or the process ends.
enum TemporaryFile {
    /// Opens one in the folder that the variable `TMPDIR` names, or else in /tmp. (`tmpfile` knows only the second.)
    /// - Returns: its descriptor; nil on failure, with the reason in `errno`.
    static func open() -> Int32? {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/handles-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { return nil }
        guard unlink(path) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
