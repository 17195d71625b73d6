import EmbeddedPostgres
import Glibc
import HandleRegistry
import HandleServer
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The parts of the running service, put together.
struct ServiceBuild {
    let settings: Settings
    let registry: Registry
    let keys: KeyStore
    let key: FirstKey?
    let tokens: TokenChecks
    let supervisor: Supervisor
    let logger: Logger
    let repeatedLines: RepeatedLines<ContinuousClock>
    let hangups: UnixSignalsSequence
    private let drain = Drain()

    init(
        _ settings: Settings, _ registry: Registry, _ keys: KeyStore, _ key: FirstKey?, _ tokens: TokenChecks,
        _ supervisor: Supervisor, _ logger: Logger, _ repeatedLines: RepeatedLines<ContinuousClock>,
        reloadingAt hangups: UnixSignalsSequence
    ) {
        (self.settings, self.registry, self.keys, self.key) = (settings, registry, keys, key)
        (self.tokens, self.supervisor, self.logger) = (tokens, supervisor, logger)
        (self.repeatedLines, self.hangups) = (repeatedLines, hangups)
    }

    /// The HTTP server. It greets the operator when it listens.
    func application() throws -> some ApplicationProtocol {
        try buildApplication(
            registry: registry,
            authenticator: Authenticator(
                first: key?.text, ring: keys.ring, tokens: tokens.verifier, logger: logger),
            configuration: settings.server, logger: logger, drain: drain
        ) { [supervisor, settings, key] port in
            supervisor.isListening()
            let isJSON = settings.log == .json
            let keyFile = supervisor.isThere || isJSON ? FirstKey.file(in: settings.data) : nil
            Welcome(settings.server, port: port, key: key, keyFile: keyFile).say(asJSON: isJSON)
        }
    }

    /// The server with everything that runs beside it, until a signal.
    func group(
        _ application: some ApplicationProtocol, until signals: UnixSignalsSequence
    ) -> ServiceGroup {
        let background: [any Service] = [
            // Services stop in reverse order, so these stop last.
            repeatedLines,
            SupervisorService(
                supervisor, eventLoops: application.eventLoopGroup, databaseTime: settings.databaseTime,
                clock: ContinuousClock(), isReady: registry.isReady),
            ReloadService(signals: hangups, tls: settings.server.tls, logger: logger),
            SchemaService(registry: registry, logger: logger),
            PeriodicService.words(registry, logger), PeriodicService.keys(keys, logger),
            PeriodicService.keyUses(keys, logger), PeriodicService.sweep(registry, logger),
            PeriodicService.replicaLag(registry, logger), PeriodicService.hints(registry, logger),
            PeriodicService.writes(registry, logger), PeriodicService.unusedConnections(registry, logger),
        ]
        let drain = DrainService(signals: signals, supervisor: supervisor, drain: drain, notice: settings.drain)
        var configuration = ServiceGroupConfiguration(
            services: background.map { .init(service: $0, successTerminationBehavior: .ignore) } + [
                .init(service: application),
                .init(service: drain, successTerminationBehavior: .gracefullyShutdownGroup),
            ]
                + PeriodicService.issuerKeys(tokens, logger).map {
                    .init(service: $0, successTerminationBehavior: .ignore)
                }, logger: Logger(label: "lifecycle", factory: { _ in SwiftLogNoOpLogHandler() }))
        configuration.maximumGracefulShutdownDuration = settings.drainLimit
        return ServiceGroup(configuration: configuration)
    }
}
