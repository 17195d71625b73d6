import ArgumentParser
import EmbeddedPostgres
import Glibc
import HandleRegistry
import Postgres
import UnixSignals

/// Where every command begins and ends: faults become one line and an exit status here, and nowhere else.
enum CommandEdge {
    /// Runs a command's work; Ctrl-C and SIGTERM cancel it, so that it can tidy up.
    static func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await report { try await cancelledBySignals(body) }
    }

    /// Turns a fault into one line on the standard error and an exit status.
    static func report(_ body: () async throws -> Void) async throws {
        // A reader that goes away is an error of the write, not the end of the process: the database must be stopped.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await body()
        } catch {
            let fault = CommandFault(error)
            // It may repeat what a file says, and nothing in a file may change a terminal.
            if !fault.description.isEmpty { Output.note("handles: \(fault.description.printable)") }
            throw ExitCode(fault.status.rawValue)
        }
    }

    private static func cancelledBySignals(_ body: @escaping @Sendable () async throws -> Void) async throws {
        // Trapped before anything is done, or a signal that comes at once would end the process as it is.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: body)
            group.addTask {
                // The sequence ends at a signal, or when this task is cancelled because the body is done.
                for await _ in signals { break }
                throw CancellationError()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Runs `body` with the registry that the settings lead to, its schema up to date.
    static func withRegistry(
        _ options: DatabaseOptions, _ body: @escaping @Sendable (Registry) async throws -> Void
    ) async throws {
        try await run {
            let settings = try options.settings()
            try await withPool(settings, as: .command) { pool in
                let registry = try Registry(pool: pool, policy: settings.policy)
                try await registry.migrate()
                try await registry.refreshWords()
                try await body(registry)
            }
        }
    }

    /// Runs `body` with connections to the database: a given one, or the private PostgreSQL.
    static func withPool(
        _ settings: Settings, as role: EmbeddedPostgres.Role, _ body: (Pool) async throws -> Void
    ) async throws {
        func use(_ conninfo: String) async throws {
            let pool = pool(conninfo, settings, within: settings.databaseTime)
            do {
                try await body(pool)
            } catch {
                await pool.close()
                throw error
            }
            await pool.close()
        }
        if let url = settings.databaseURL {
            try await use(url)
        } else {
            try await EmbeddedPostgres(folder: settings.data).use(as: role, use)
        }
    }

    /// Connections for the registry to a database.
    private static func pool(_ conninfo: String, _ settings: Settings, within time: Duration) -> Pool {
        var configuration = Pool.Configuration(
            conninfo: conninfo, statementTimeout: time * 4 / 5, sessionScript: Registry.sessionScript)
        configuration.timeout = time
        configuration.size = settings.databaseConnections
        configuration.maxWaiters = settings.databaseWaiters
        return Pool(configuration)
    }

    static let backgroundConnections = 2

    /// Connections for what steers the service, to where others lead that callers take turns with: one, and one that
    /// sweeping may keep for a while. Where the server allows too few, callers have at least one and so has this work.
    static func backgroundPool(beside pool: Pool) -> Pool {
        var configuration = pool.configuration
        configuration.size = backgroundConnections
        let background = Pool(configuration)
        background.share(with: pool)
        return background
    }

    /// Connections to a replica, which is not waited for longer than usual: the primary has what it has.
    static func replicaPool(_ conninfo: String, _ settings: Settings) -> Pool {
        pool(conninfo, settings, within: min(settings.databaseTime, Pool.Configuration.usualTimeout))
    }

    /// Who works at the command line, for the history of what they do.
    static var actor: String {
        guard let entry = getpwuid(getuid()) else { return "cli:\(getuid())" }
        return "cli:" + String(cString: entry.pointee.pw_name)
    }
}
