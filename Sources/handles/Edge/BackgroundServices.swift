import HandleCore
import HandleRegistry
import HandleServer
import Logging
import Postgres
import ServiceLifecycle
import UnixSignals

/// Ends some time after the first signal, which stops the others.
struct DrainService: Service {
    let signals: UnixSignalsSequence
    let supervisor: Supervisor
    let gate: Gate
    /// How long others have to notice that no more callers should be sent here.
    let notice: Duration

    /// A supervisor sends SIGTERM. Whoever presses Ctrl-C sits in front of it, and so does who sends a second signal.
    func run() async throws {
        var iterator = signals.cancelOnGracefulShutdown().makeAsyncIterator()
        guard let first = await iterator.next() else { return }
        supervisor.isStopping()
        let draining = Task { try await gate.drain(notice: first == .sigterm ? notice : .zero) }
        let second = Task { [iterator] in
            var iterator = iterator
            if await iterator.next() != nil { draining.cancel() }
        }
        // Cut short by a second signal, which is no fault.
        _ = await draining.result
        second.cancel()
    }
}

/// Brings the schema up to date as soon as the database can be reached, when it could not be at the start.
struct SchemaService: Service {
    let registry: Registry
    let logger: Logger

    private static let retryDelay = Duration.milliseconds(500)

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await registry.migrate()
                    return
                } catch is CancellationError {
                    break
                } catch let error as PostgresError where error.isTransient {
                    logger.warning("waiting for the database", metadata: ["error": "\(error)"])
                    // Cut short when the service stops, which the loop sees.
                    try? await ContinuousClock().sleep(for: Self.retryDelay)
                }
            }
        }
        // Stays until it is told to stop: one that ends by itself while another is told counts as a fault.
        try? await gracefulShutdown()
    }
}

/// Does something again and again until the service stops. What fails is tried again the next time.
struct PeriodicService: Service {
    let interval: Duration
    /// What does not work when it fails, for the log.
    let failure: Logger.Message
    /// How many failures in a row are an alarm; nil when none are.
    var alarm: Int?
    let logger: Logger
    /// Whether it is done for the first time when the service starts, and not an interval later.
    var beginsAtOnce = false
    let work: @Sendable () async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var failures = 0
            var isDue = beginsAtOnce
            while !Task.isCancelled {
                if !isDue {
                    // Cut short when the service stops, which then needs the work no more.
                    do { try await ContinuousClock().sleep(for: interval) } catch { return }
                }
                isDue = false
                do {
                    try await work()
                    failures = 0
                } catch {
                    if Task.isCancelled { return }
                    failures += 1
                    let isAlarm = alarm.map { failures.isMultiple(of: $0) } ?? false
                    logger.log(level: isAlarm ? .warning : .debug, failure, metadata: ["error": "\(error)"])
                }
            }
        }
    }

    /// Keys and words are to be known within two seconds.
    private static let alarm = 5

    /// Takes changes of the reserved words in, within two seconds. While the database can't be read, the words stay, as
    /// long as the registry lets them.
    static func words(_ registry: Registry, _ logger: Logger) -> PeriodicService {
        PeriodicService(interval: .seconds(1), failure: "reserved words can't be read", alarm: alarm, logger: logger) {
            if try await registry.refreshWords() {
                logger.notice("reserved words have changed", metadata: ["count": "\(registry.words.count)"])
            }
        }
    }

    /// Takes in which access keys are in force, within two seconds. While the database can't be read, the keys stay, as
    /// long as the registry lets them.
    static func keys(_ registry: Registry, _ logger: Logger) -> PeriodicService {
        PeriodicService(interval: .seconds(1), failure: "access keys can't be read", alarm: alarm, logger: logger) {
            try await registry.refreshKeys()
        }
    }

    /// Read the public keys of issuers of identity tokens, one service an issuer: none waits for another, and nothing waits
    /// for any of them. What can't be read now is read when a token comes.
    static func issuerKeys(_ tokens: TokenChecks, _ logger: Logger) -> [PeriodicService] {
        tokens.keyReaders.map { issuer, read in
            var logger = logger
            logger[metadataKey: "issuer"] = "\(issuer)"
            return PeriodicService(
                interval: tokens.interval, failure: "the keys of an issuer can't be read", alarm: 1, logger: logger,
                beginsAtOnce: true
            ) { [logger] in
                try await read(logger)
            }
        }
    }

    /// Writes down which access keys were used: for each key once a minute at most.
    static func keyUses(_ registry: Registry, _ logger: Logger) -> PeriodicService {
        PeriodicService(interval: .seconds(60), failure: "the last use of keys can't be stored", logger: logger) {
            try await registry.noteKeyUses()
        }
    }

    /// Frees what has ended by itself and removes old answers. Only tidiness: nothing depends on when it is done.
    static func sweep(_ registry: Registry, _ logger: Logger) -> PeriodicService {
        PeriodicService(interval: .seconds(60), failure: "lapsed names can't be swept", logger: logger) {
            try await registry.sweep()
        }
    }

    /// Sees how far the replica is behind. One that is too far, or not known to be near, is not asked.
    static func replicaLag(_ registry: Registry, _ logger: Logger) -> PeriodicService {
        PeriodicService(interval: .seconds(1), failure: "the lag of the replica can't be measured", logger: logger) {
            try await registry.reads.measure()
        }
    }
}
