import HandleRegistry
import Logging
import Postgres
import ServiceLifecycle
import UnixSignals

/// Ends at the first signal, which stops the others.
struct SignalService: Service {
    let signals: UnixSignalsSequence

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { return }
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
                } catch let error as PostgresError where error.isTransient {
                    logger.warning("waiting for the database", metadata: ["error": "\(error)"])
                    // Cut short when the service stops, which the loop sees.
                    try? await ContinuousClock().sleep(for: Self.retryDelay)
                } catch is CancellationError {
                    return
                }
            }
        }
    }
}

/// Takes changes of the reserved words in, within two seconds. While the database can't be read, the words stay.
struct WordsService: Service {
    let registry: Registry
    let logger: Logger

    private static let interval = Duration.seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Cut short when the service stops, which the loop sees.
                try? await ContinuousClock().sleep(for: Self.interval)
                do {
                    if try await registry.refreshWords() {
                        logger.notice("reserved words have changed", metadata: ["count": "\(registry.words.count)"])
                    }
                } catch {
                    logger.debug("reserved words can't be read", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}

/// Frees what has ended by itself and removes old answers. Only tidiness: nothing depends on when it is done.
struct SweepService: Service {
    let registry: Registry
    let logger: Logger

    private static let interval = Duration.seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Cut short when the service stops, which the loop sees.
                try? await ContinuousClock().sleep(for: Self.interval)
                do {
                    try await registry.sweep()
                } catch {
                    logger.debug("names whose time has passed can't be swept", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
