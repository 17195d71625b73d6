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
    /// Time limit of a database check.
    let databaseTime: Duration
    let clock: C
    /// Whether the database has the schema; an error if it can't be used.
    let isReady: @Sendable () async throws -> Bool

    /// Interval of the database check before and after the service is ready.
    private static var waitInterval: Duration { .milliseconds(200) }
    private static var interval: Duration { .seconds(5) }

    /// How long the database check may go without a result before the service counts as hung: twice the sum of the
    /// interval and two checks.
    private var longestSilence: Duration { (Self.interval + databaseTime * 2) * 2 }

    func run() async throws {
        let heardAt = NIOLockedValueBox(clock.now)
        await cancelWhenGracefulShutdown {
            async let pings: Void = ping(heardAt)
            await supervisor.waitUntilListening()
            await report(heardAt)
            await pings
        }
    }

    private func report(_ heardAt: NIOLockedValueBox<C.Instant>) async {
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
    private func ping(_ heardAt: NIOLockedValueBox<C.Instant>) async {
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
