import ArgumentParser
import EmbeddedPostgres
import Glibc
import HandleRegistry
import Logging
import Postgres
import UnixSignals

/// Entry and exit of every command. Only here do errors become one line and an exit status.
enum CommandEdge {
    /// Runs a command's work. Ctrl-C and SIGTERM cancel it, so that it can clean up.
    static func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await report { try await cancelledBySignals(body) }
    }

    /// Turns an error into one line on the standard error and an exit status.
    static func report(_ body: () async throws -> Void) async throws {
        // When the reader of a pipe exits, the write must fail instead of ending the process: the private PostgreSQL
        // must still be stopped.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await body()
        } catch {
            let fault = CommandFault(error)
            // The message may quote a file, so control characters are escaped.
            if !fault.description.isEmpty { Output.note("handles: \(fault.description.printable)", .error) }
            throw ExitCode(fault.status.rawValue)
        }
    }

    /// Runs `body`, and cancels it at a signal.
    /// - Parameter isHeeded: whether a signal counts now.
    /// - Throws: `CancellationError` after a signal; errors of `body`.
    static func cancelledBySignals(
        if isHeeded: @escaping @Sendable () -> Bool = { true }, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        // Trapped first: an early signal would end the process without any clean-up.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: body)
            group.addTask {
                // The sequence ends when this task is cancelled because the body has finished.
                for await _ in signals where isHeeded() { break }
                throw CancellationError()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// The part of the program that uses the database.
    enum Role {
        case service
        /// A command that may be the first to write into a registry.
        case writer
        /// A command that makes no sense without a registry: it only reads, as a dry run does, or changes names that are
        /// there.
        case reader
    }

    /// Runs `body` with the configured registry, after migrating the schema, and ends its output.
    static func withRegistry(
        _ options: DatabaseOptions, as role: Role, json: Bool = false,
        _ body: @escaping @Sendable (Registry, inout Output) async throws -> Void
    ) async throws {
        try await run {
            let settings = try options.settings()
            try await withPool(settings, as: role) { pool in
                let registry = try Registry(pool: pool, policy: settings.policy)
                try await registry.migrate()
                try await registry.refreshWords()
                var output = Output(isJSON: json)
                try await body(registry, &output)
                try output.end()
            }
        }
    }

    /// Runs `body` with a connection pool for the configured database or the private PostgreSQL. That one is made if it
    /// is missing, but not for a reader.
    static func withPool(_ settings: Settings, as role: Role, _ body: (Pool) async throws -> Void) async throws {
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
        if let url = settings.databaseURL { return try await use(url) }
        let isNew = EmbeddedPostgres.isMissing(in: settings.data)
        if isNew, role == .reader { throw CommandFault.noRegistry(in: settings.data) }
        let postgres = try EmbeddedPostgres(folder: settings.data)
        try await postgres.use(as: role == .service ? .service : .command) { conninfo in
            if isNew, role == .writer {
                Output.note(
                    "there was no registry here: made one, with a private PostgreSQL, in \(postgres.folder.printable)")
            }
            try await use(conninfo)
        }
    }

    /// A connection pool with the registry's session settings.
    private static func pool(_ conninfo: String, _ settings: Settings, within time: Duration) -> Pool {
        var configuration = Pool.Configuration(
            conninfo: conninfo, statementTimeout: time * 4 / 5, sessionScript: Registry.sessionScript)
        configuration.timeout = time
        configuration.size = settings.databaseConnections
        configuration.maxWaiters = settings.databaseWaiters
        return Pool(configuration)
    }

    static let backgroundConnections = 2

    /// A pool for background work, so that it does not wait behind callers' requests: one connection, and one more that
    /// the sweep or a page of the hints may keep for a while. If the server allows too few connections, both pools still get at least one.
    static func backgroundPool(beside pool: Pool) -> Pool {
        var configuration = pool.configuration
        configuration.size = backgroundConnections
        let background = Pool(configuration)
        background.share(with: pool)
        return background
    }

    /// A pool for a replica. Its timeout is at most the default one, because the primary has the same data.
    static func replicaPool(_ conninfo: String, _ settings: Settings) -> Pool {
        pool(conninfo, settings, within: min(settings.databaseTime, Pool.Configuration.usualTimeout))
    }

    /// The user at the command line, as the actor in the history.
    static var actor: Cause.Actor {
        let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
        return Cause.Actor("cli:\(user)", .admin)
    }
}
