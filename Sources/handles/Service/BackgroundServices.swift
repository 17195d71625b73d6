import HandleRegistry
import HandleServer
import HandleWords
import Logging
import Postgres
import ServiceLifecycle
import UnixSignals

/// Drains after the first signal and then ends, which shuts down the other services.
struct DrainService: Service {
    let signals: UnixSignalsSequence
    let supervisor: Supervisor
    let drain: Drain
    /// How long load balancers have to notice that the service is draining.
    let notice: Duration

    /// A supervisor sends SIGTERM, and then the drain has a notice period. Ctrl-C comes from a person at the terminal,
    /// so it has none. A second signal ends the drain early.
    func run() async throws {
        var iterator = signals.cancelOnGracefulShutdown().makeAsyncIterator()
        guard let first = await iterator.next() else { return }
        supervisor.isStopping()
        let draining = Task { try await drain.run(notice: first == .sigterm ? notice : .zero) }
        let second = Task { [iterator] in
            var iterator = iterator
            if await iterator.next() != nil { draining.cancel() }
        }
        // Interrupted by a second signal, which is not an error.
        _ = await draining.result
        second.cancel()
    }
}

/// Reads the TLS certificate again at SIGHUP. A certificate that can't be used leaves the old one in use.
struct ReloadService: Service {
    let signals: UnixSignalsSequence
    /// Nil without TLS: then the signal has no effect.
    let tls: TransportSecurity?
    let logger: Logger

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            guard let tls else {
                logger.notice("SIGHUP has no effect: the service has no TLS certificate to read again")
                continue
            }
            do {
                try tls.reload()
                logger.notice("the TLS certificate was read again; new connections get it")
            } catch {
                logger.error(
                    "the TLS certificate can't be used, and the old one stays in use; correct the files and send SIGHUP again",
                    metadata: ["error": "\(error)"])
            }
        }
    }
}

extension Registry {
    /// Migrates the schema. Then leaves a connection for commands.
    func migrate(_ logger: Logger) async throws {
        try await migrate()
        if let room = try await leaveConnectionForCommands() {
            logger.notice(
                "the database allows few connections; callers share these", metadata: ["connections": "\(room)"])
        }
    }
}

/// Migrates the schema as soon as the database can be reached, if it was unreachable at the start.
struct SchemaService: Service {
    let registry: Registry
    let logger: Logger

    private static let retryDelay = Duration.milliseconds(500)

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await registry.migrate(logger)
                    return
                } catch is CancellationError {
                    break
                } catch let error as PostgresError where error.isTransient {
                    logger.warning("waiting for the database", metadata: ["error": "\(error)"])
                    // A shutdown interrupts the sleep; the loop condition notices it.
                    try? await ContinuousClock().sleep(for: Self.retryDelay)
                }
            }
        }
        // Wait for the shutdown: a service that ends by itself while another one is being stopped counts as a failure.
        try? await gracefulShutdown()
    }
}

/// Repeats work until the service stops. After a failure it tries again at the next interval.
struct PeriodicService: Service {
    let interval: Duration
    /// Log message for a failure.
    let failure: Logger.Message
    /// Number of consecutive failures after which a warning is logged; nil for never.
    var alarm: Int?
    let logger: Logger
    /// Whether the first run is at the start of the service, not an interval later.
    var beginsAtOnce = false
    let work: @Sendable () async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var failures = 0
            var isDue = beginsAtOnce
            while !Task.isCancelled {
                if !isDue {
                    // A shutdown interrupts the sleep; the work is not needed any more.
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
}
