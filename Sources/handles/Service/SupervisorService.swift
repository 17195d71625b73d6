import NIOConcurrencyHelpers
import NIOCore
import ServiceLifecycle

/// Notifies the supervisor when the service is ready, of its status, and regularly that it is not hung.
///
/// The service is ready once it listens, the database has the schema, and the reserved words are read. It counts as not
/// hung while every event loop runs tasks and the database check returns, even with an error: a restart can't repair the
/// database, but it does replace a stuck thread. The check does not use HTTP, because a busy service at its connection
/// limit would wait for itself and be restarted.
struct SupervisorService<C: Clock>: Service where C.Duration == Duration {
    let supervisor: Supervisor
    let eventLoops: any EventLoopGroup
    /// Whether the database has the schema; an error if it can't be used.
    let isReady: @Sendable () async throws -> Bool

    /// How long the database check may go without a result before the service counts as hung.
    private let longestSilence: Duration
    private let clock: C
    private let heardAt: NIOLockedValueBox<C.Instant>

    /// Interval of the database check before and after the service is ready.
    private static var waitInterval: Duration { .milliseconds(200) }
    private static var interval: Duration { .seconds(5) }

    /// - Parameters:
    ///   - databaseTime: time limit of a database check. The longest silence is twice the sum of the interval and two
    ///     checks.
    init(
        _ supervisor: Supervisor, eventLoops: any EventLoopGroup, databaseTime: Duration, clock: C,
        isReady: @escaping @Sendable () async throws -> Bool
    ) {
        self.supervisor = supervisor
        self.eventLoops = eventLoops
        longestSilence = (Self.interval + databaseTime * 2) * 2
        self.clock = clock
        heardAt = NIOLockedValueBox(clock.now)
        self.isReady = isReady
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            async let pings: Void = ping()
            await supervisor.waitUntilListening()
            await report()
            await pings
        }
    }

    private func report() async {
        var hasSaidReady = false
        var lastStatus = ""
        while !Task.isCancelled {
            let (isReady, status) = await state(hasBeenReady: hasSaidReady)
            heardAt.withLockedValue { $0 = clock.now }
            if Task.isCancelled { return }
            if isReady && !hasSaidReady {
                hasSaidReady = supervisor.tell(["READY=1", "STATUS=\(status)"])
                lastStatus = hasSaidReady ? status : ""
            } else if status != lastStatus, supervisor.tell(["STATUS=\(status)"]) {
                lastStatus = status
            }
            // A shutdown interrupts the sleep; the loop condition notices it.
            try? await clock.sleep(for: isReady && hasSaidReady ? Self.interval : Self.waitInterval)
        }
    }

    private func state(hasBeenReady: Bool) async -> (isReady: Bool, status: String) {
        do {
            return try await isReady() ? (true, "ready") : (false, "waiting for the schema of the database")
        } catch {
            let line = "\(error)".map { $0.isNewline ? " " : String($0) }.joined()
            return (false, "\(hasBeenReady ? "without" : "waiting for") the database: \(line)")
        }
    }

    /// Pings at half of the watchdog timeout, as systemd advises.
    private func ping() async {
        guard let patience = supervisor.patience else { return }
        while !Task.isCancelled {
            for loop in eventLoops.makeIterator() { try? await loop.submit {}.get() }
            let silence = heardAt.withLockedValue { $0.duration(to: clock.now) }
            if silence < longestSilence { supervisor.tell(["WATCHDOG=1"]) }
            // A shutdown interrupts the sleep; the loop condition notices it.
            try? await clock.sleep(for: patience / 2)
        }
    }
}
