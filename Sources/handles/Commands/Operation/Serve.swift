import ArgumentParser
import Glibc
import HandleServer
import Logging
import NIOConcurrencyHelpers
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
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
    @Option(
        parsing: .unconditional,
        help: "Port to listen on, 0 for any. (HANDLES_PORT; default: \(Settings().server.port))")
    var port: String?

    func run() async throws {
        let supervisor = Supervisor.takeOver()
        // From here on every line is JSON, an invalid setting's too.
        Output.followLogFormat()
        // Trapped from the beginning, so that a signal at the end of the start-up still stops the services.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let isStarting = NIOLockedValueBox(true)
        try await CommandEdge.report {
            do {
                // Once there are services to stop, they handle the signals.
                try await CommandEdge.cancelledBySignals(if: { isStarting.withLockedValue(\.self) }) {
                    try await start(supervisor, signals, hangups) { isStarting.withLockedValue { $0 = false } }
                }
            } catch is CancellationError {
                supervisor.isStopping()
                Output.note("stopped")
            }
        }
    }

    /// - Parameter whenStarted: called when the services are ready to run.
    private func start(
        _ supervisor: Supervisor, _ signals: UnixSignalsSequence, _ hangups: UnixSignalsSequence,
        _ whenStarted: () -> Void
    ) async throws {
        var options: [String: String] = [:]
        options["HANDLES_HOST"] = host
        options["HANDLES_PORT"] = port
        var settings = try database.settings(options)
        settings.server.limits.connections = min(
            settings.server.limits.connections, try OpenFiles.roomForCallers(besides: settings))
        let repeatedLines = RepeatedLines(clock: ContinuousClock())
        let logger = Self.logger(settings, repeatedLines)
        let tokens = try await TokenChecks.configured(by: settings, logger)
        try settings.server.address.check()
        try await CommandEdge.withPool(settings, as: .service) { [settings] pool in
            // Only now: no other service can make a key in this data folder at the same time.
            let key = try FirstKey.of(settings)
            let build = ServiceBuild(
                settings: settings, key: key, tokens: tokens, supervisor: supervisor, logger: logger,
                repeatedLines: repeatedLines, signals: signals, hangups: hangups)
            try await build.run(pool, whenStarted)
        }
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
}
