import Glibc

/// How many files and sockets the process may have open.
enum OpenFiles {
    /// What is needed besides connections: files, the private PostgreSQL's pipes, the runtime's own.
    private static let margin = 128
    /// The fewest connections of callers that a service is worth starting for.
    private static let fewestCallers = 16

    /// How many connections of callers there is room for, beside those to the database.
    ///
    /// The process must never get to the limit: the runtime ends it when it can't open a file of its own.
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

    /// Allows the process as many as the system lets it have without being root.
    static func allowAll() {
        guard var limit = limit else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// How many the system lets the process have without being root.
    private static var allowed: Int { limit.map { Int(min($0.rlim_max, 1 << 20)) } ?? 1024 }

    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
