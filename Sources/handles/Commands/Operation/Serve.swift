import ArgumentParser
import EmbeddedPostgres
import Glibc
import HandleRegistry
import HandleServer
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore
import Postgres
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the service.",
        discussion: """
            Examples:
              handles serve
              DATABASE_URL=postgresql://db.example/handles handles serve
              HANDLES_ADMIN_KEY_FILE=/run/secrets/handles-key handles serve
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: "Address to listen on. (HANDLES_HOST; default: \(Settings().server.host))") var host: String?
    @Option(help: "Port to listen on, 0 for any. (HANDLES_PORT; default: \(Settings().server.port))") var port: String?

    func run() async throws {
        let supervisor = Supervisor.takeOver()
        // From here on every line is JSON, an invalid setting's too.
        let format = getenv("HANDLES_LOG").map { String(cString: $0) }
        Output.notesAreJSON.withLockedValue { $0 = format == Settings.LogFormat.json.rawValue }
        // Trapped from the beginning, so that a signal at the end of the start-up still stops the services.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let starting = Starting()
        try await CommandEdge.report {
            do {
                try await starting.run { try await start(starting, supervisor, until: signals, reloadingAt: hangups) }
            } catch is CancellationError {
                supervisor.isStopping()
                Output.note("stopped")
            }
        }
    }

    private func start(
        _ starting: Starting, _ supervisor: Supervisor, until signals: UnixSignalsSequence,
        reloadingAt hangups: UnixSignalsSequence
    ) async throws {
        var options: [String: String] = [:]
        options["HANDLES_HOST"] = host
        options["HANDLES_PORT"] = port
        var settings = try database.settings(options)
        settings.server.limits.connections = min(
            settings.server.limits.connections, try OpenFiles.roomForCallers(besides: settings))
        let tokens = try await TokenChecks.configured(by: settings)
        try await CommandEdge.withPool(settings, as: .service) { [settings] pool in
            // Only now: no other service can make a key in this data folder at the same time.
            let key = try FirstKey(settings)
            try await serve(
                settings, key, tokens, pool, starting, supervisor, until: signals, reloadingAt: hangups)
        }
    }

    private func serve(
        _ settings: Settings, _ key: FirstKey?, _ tokens: TokenChecks, _ pool: Pool, _ starting: Starting,
        _ supervisor: Supervisor, until signals: UnixSignalsSequence, reloadingAt hangups: UnixSignalsSequence
    ) async throws {
        let repeatedLines = RepeatedLines(clock: ContinuousClock())
        let logger = Self.logger(settings, repeatedLines)
        let replica = settings.readURL.map { CommandEdge.replicaPool($0, settings) }
        let background = CommandEdge.backgroundPool(beside: pool)
        let registry = try Registry(
            pool: pool, background: background, replica: replica, policy: settings.policy,
            longestUnconfirmed: Registry.longestUnconfirmed, hintsBytes: settings.hintsBytes)
        let keys = KeyStore(
            pool: pool, background: background, longestUnconfirmed: Registry.longestUnconfirmed)
        do {
            try await registry.migrate(logger)
            try await registry.refreshWords()
            try await keys.refresh()
        } catch let error as PostgresError where error.isTransient {
            logger.warning("the database can't be used yet", metadata: ["error": "\(error)"])
        }
        OpenFiles.allowAll()
        let build = ServiceBuild(
            settings, registry, keys, key, tokens, supervisor, logger, repeatedLines, reloadingAt: hangups)
        let group = build.group(try build.application(), until: signals)
        starting.end()
        try await Self.run(group, settings.server)
        // Store the key uses of the last minute. The service stops even if that fails.
        try? await keys.noteUses()
        await background.close()
        await replica?.close()
        Output.note("stopped")
    }

    private static func logger(_ settings: Settings, _ repeatedLines: RepeatedLines<ContinuousClock>) -> Logger {
        var logger = Logger(
            label: "handles",
            factory: { label in
                let handler: any LogHandler =
                    settings.log == .json ? JSONLogHandler() : StreamLogHandler.standardError(label: label)
                return RepeatedLinesHandler(handler: handler, lines: repeatedLines)
            })
        logger.logLevel = settings.logLevel
        return logger
    }

    private static func run(_ group: ServiceGroup, _ server: ServerConfiguration) async throws {
        do {
            try await group.run()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw CommandFault(
                .unavailable, "port \(server.port) on \(server.host) is in use; choose another with --port")
        } catch let error as IOError {
            throw CommandFault(.unavailable, "can't listen on \(server.host), port \(server.port): \(error)")
        }
    }
}
