import Glibc

/// How many files and sockets the process may have open.
enum OpenFiles {
    /// What is needed besides the callers' connections: those to the database, files, the runtime's own.
    private static let reserve = 128

    /// Allows the process as many as the system lets it have without being root.
    /// - Returns: how many of them may be callers' connections.
    ///
    /// It must never get to the limit: the runtime ends the process when it can't open a file of its own.
    static func allowAll() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return reserve }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let allowed = Int(min(limit.rlim_cur, 1 << 20))
        return max(allowed - reserve, allowed / 2)
    }
}
