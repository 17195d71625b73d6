import HandleRegistry
import HandleServer
import HandleWords
import Hummingbird
import Logging
import NIOCore
import Postgres
import ServiceLifecycle
import UnixSignals

/// The parts of the running service, put together.
struct ServiceBuild {
    let settings: Settings
    let key: FirstKey?
    let tokens: TokenChecks
    let supervisor: Supervisor
    let logger: Logger
    let repeatedLines: RepeatedLines<ContinuousClock>
    let signals: UnixSignalsSequence
    let hangups: UnixSignalsSequence

    /// Runs the service until a signal.
    /// - Parameter whenStarted: called when the services are ready to run.
    func run(_ pool: Pool, _ whenStarted: () -> Void) async throws {
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
        let drain = Drain()
        let group = group(try application(registry, keys, drain), registry, keys, drain)
        whenStarted()
        do {
            try await group.run()
        } catch let error as IOError {
            throw settings.server.address.fault(error.errnoCode)
        }
        // Store the key uses of the last minute. The service stops even if that fails.
        try? await keys.noteUses()
        await background.close()
        await replica?.close()
        Output.note("stopped")
    }

    /// The HTTP server. It greets the operator when it listens.
    private func application(_ registry: Registry, _ keys: KeyStore, _ drain: Drain) throws -> some ApplicationProtocol
    {
        try buildApplication(
            registry: registry,
            authenticator: Authenticator(
                first: key?.text, ring: keys.ring, tokens: tokens.verifier, logger: logger),
            configuration: settings.server, logger: logger, drain: drain
        ) { [supervisor, settings, key] port in
            supervisor.isListening()
            let isJSON = settings.log == .json
            let keyFile = supervisor.isThere || isJSON ? FirstKey.file(in: settings.data) : nil
            Welcome(configuration: settings.server, port: port, key: key, keyFile: keyFile).say(asJSON: isJSON)
        }
    }

    /// The server with everything that runs beside it, until a signal.
    private func group(
        _ application: some ApplicationProtocol, _ registry: Registry, _ keys: KeyStore, _ drain: Drain
    ) -> ServiceGroup {
        let background: [any Service] = [
            // Services stop in reverse order, so these stop last.
            repeatedLines,
            SupervisorService(
                supervisor: supervisor, eventLoops: application.eventLoopGroup, databaseTime: settings.databaseTime,
                clock: ContinuousClock(), isReady: registry.isReady),
            ReloadService(signals: hangups, tls: settings.server.tls, logger: logger),
            SchemaService(registry: registry, logger: logger),
            FeedService(registry: registry, kept: settings.feed, logger: logger),
        ]
        func ignoringEnds(_ services: [any Service]) -> [ServiceGroupConfiguration.ServiceConfiguration] {
            services.map { .init(service: $0, successTerminationBehavior: .ignore) }
        }
        let drain = DrainService(signals: signals, supervisor: supervisor, drain: drain, notice: settings.drain)
        var configuration = ServiceGroupConfiguration(
            services: ignoringEnds(background + periodicWork(registry, keys)) + [
                .init(service: application),
                .init(service: drain, successTerminationBehavior: .gracefullyShutdownGroup),
            ] + ignoringEnds(tokens.keyReaders),
            logger: Logger(label: "lifecycle", factory: { _ in SwiftLogNoOpLogHandler() }))
        configuration.maximumGracefulShutdownDuration = settings.drainLimit
        return ServiceGroup(configuration: configuration)
    }

    /// Failures in a row until a warning. Running services should know new keys and words within two seconds.
    private static let alarm = 5

    private func periodicWork(_ registry: Registry, _ keys: KeyStore) -> [PeriodicService] {
        func every(
            _ seconds: Int, _ failure: Logger.Message, alarm: Int? = nil, beginsAtOnce: Bool = false,
            _ work: @escaping @Sendable () async throws -> Void
        ) -> PeriodicService {
            PeriodicService(
                interval: .seconds(seconds), failure: failure, alarm: alarm, logger: logger,
                beginsAtOnce: beginsAtOnce, work: work)
        }
        return [
            // While the database can't be read, the old words are kept as long as the registry allows.
            every(1, "reserved words can't be read", alarm: Self.alarm) { [logger] in
                guard try await registry.refreshWords() else { return }
                logger.notice(
                    "reserved words have changed", metadata: ["count": .stringConvertible(registry.words.count)])
            },
            // While the database can't be read, the old keys are kept for a limited time.
            every(1, "access keys can't be read", alarm: Self.alarm) { try await keys.refresh() },
            // At most once a minute for each key.
            every(60, "the last use of keys can't be stored") { try await keys.noteUses() },
            // Frees lapsed names and removes old stored responses. Correctness does not depend on when it runs.
            every(60, "lapsed names can't be swept") { try await registry.sweep() },
            // A replica with too much lag, or an unknown lag, gets no reads.
            every(1, "the lag of the replica can't be measured") { try await registry.reads.measure() },
            // At the start and when they are due. Without them, checks take more look-ups.
            every(60, "the names in use can't be read", alarm: Self.alarm, beginsAtOnce: true) {
                try await registry.fillHints()
            },
            // Finds out whether the database accepts writes again after it has refused one. Logs that it does not.
            every(10, "the database refuses writes", alarm: 1) {
                if registry.writeHealth.isRefused { try await registry.tryWrite() }
            },
            every(60, "unused connections can't be closed") { await registry.closeUnusedConnections() },
        ]
    }
}
