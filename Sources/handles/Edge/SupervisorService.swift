import NIOConcurrencyHelpers
import NIOCore
import ServiceLifecycle

/// Keeps the supervisor informed: that the service can do its work, once it listens and the database has its schema;
/// what it waits for; and again and again that it is not hung.
///
/// Not hung means that every event loop runs what it is given, and that the database was heard of: an answer that it is
/// away is one too. Restarting would bring no database back, but it does bring back a thread that is stuck. It does not
/// ask itself over HTTP: at its limit of connections a busy service would wait for itself, and be ended for it.
struct SupervisorService<C: Clock>: Service where C.Duration == Duration {
    let supervisor: Supervisor
    let eventLoops: any EventLoopGroup
    /// Whether the database answers and has the schema.
    let isReady: @Sendable () async throws -> Bool

    /// The longest silence about the database that is no sign of being hung.
    private let longestSilence: Duration
    private let clock: C
    private let heardAt: NIOLockedValueBox<C.Instant>

    /// How often the database is asked: while it is waited for, and afterwards.
    private static var waitInterval: Duration { .milliseconds(200) }
    private static var interval: Duration { .seconds(5) }

    /// - Parameters:
    ///   - databaseTime: how long a look at the database may take. The longest silence is the interval and two looks,
    ///     and again as much.
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
            // Cut short when the service stops, which the loop sees.
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

    /// At half of the supervisor's patience, as systemd advises.
    private func ping() async {
        guard let patience = supervisor.patience else { return }
        while !Task.isCancelled {
            for loop in eventLoops.makeIterator() { try? await loop.submit {}.get() }
            let silence = heardAt.withLockedValue { $0.duration(to: clock.now) }
            if silence < longestSilence { supervisor.tell(["WATCHDOG=1"]) }
            // Cut short when the service stops, which the loop sees.
            try? await clock.sleep(for: patience / 2)
        }
    }
}
