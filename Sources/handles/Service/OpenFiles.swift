import Glibc

/// The process's limit of open files, which includes sockets.
enum OpenFiles {
    /// Files besides connections: files of the program, pipes to the private PostgreSQL, and the runtime's own.
    private static let margin = 128
    /// The minimum number of client connections with which the service starts.
    private static let fewestCallers = 16

    /// Number of client connections that fit into the limit besides database connections.
    ///
    /// The process must never reach the limit, because the runtime aborts when it can't open a file of its own.
    /// - Throws: ``CommandFault`` with exit status 64 when the settings need more than the system allows.
    static func roomForCallers(besides settings: Settings) throws -> Int {
        let pools = settings.readURL == nil ? 1 : 2
        let background = CommandEdge.backgroundConnections
        let database = settings.databaseConnections * pools + background
        let allowed = allowed
        let room = allowed - database - margin
        guard room >= fewestCallers else {
            let needed = database + margin + fewestCallers
            let most = (allowed - margin - fewestCallers - background) / pools
            let replica = pools == 2 ? " to each of DATABASE_URL and HANDLES_READ_URL" : ""
            let advice = most > 0 ? "set HANDLES_DATABASE_CONNECTIONS to \(most) or less, or " : ""
            throw CommandFault(
                .usage,
                "the system allows \(allowed) open files, and the program needs \(needed): "
                    + "HANDLES_DATABASE_CONNECTIONS is \(settings.databaseConnections)\(replica), \(background) connections more "
                    + "are for background work, \(margin) are for the program itself and \(fewestCallers) for callers; "
                    + "\(advice)raise the limit to \(needed) or more (ulimit -n, or LimitNOFILE in a systemd unit)")
        }
        return room
    }

    /// Raises the soft limit to the hard limit.
    static func allowAll() {
        guard var limit = limit else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The hard limit, which the process can use without being root.
    private static var allowed: Int { limit.map { Int(min($0.rlim_max, 1 << 20)) } ?? 1024 }

    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
