import Dispatch
import EmbeddedPostgres
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestService
import TestSupport
import Testing

@testable import handles

@Suite(.serialized) struct SupervisorTests {
    @Test(.timeLimit(.minutes(5))) func readyIsSentOnceTheDatabaseIsUp() async throws {
        let folder = TemporaryFolder.make("supervised")
        let socket = try NotifySocket("\(folder)/notify")
        try await PreparedCluster.copy(to: "\(folder)/data")
        let postgres = try EmbeddedPostgres(folder: "\(folder)/data")
        let service = try await Service(
            in: folder,
            [
                "NOTIFY_SOCKET": "\(folder)/notify", "WATCHDOG_USEC": "2000000",
                "DATABASE_URL": "host='\(folder)/data/postgres' user=handles dbname=handles",
                "HANDLES_ADMIN_KEY": "0123456789abcdef",
            ])
        // The service listens and its watchdog pings, but without a database it is not ready.
        try await socket.wait(for: "STATUS=waiting for the database: unavailable")
        try await socket.wait(for: "WATCHDOG=1")
        try await socket.wait(for: "WATCHDOG=1")
        #expect(!socket.lines.contains("READY=1"))
        try await postgres.use(as: .command) { _ in
            try await socket.wait(for: "READY=1")
            #expect(try await service.client.send("GET", "/readyz").status == 200)
            try await socket.wait(for: "STATUS=ready")
        }
        // Watchdog pings go on while the database is down: a restart would not bring it back.
        try await socket.wait(for: "STATUS=without the database: unavailable")
        try await socket.wait(for: "WATCHDOG=1")
        async let status = service.end(SIGTERM)
        try await socket.wait(for: "STOPPING=1")
        #expect(await status == 0)
        socket.read()
        #expect(!socket.lines.contains("READY=1"))
    }

    @Test(.timeLimit(.minutes(5))) func notifyVariablesAreForTheServiceProcessOnly() async throws {
        let folder = TemporaryFolder.make("children")
        let name = "@handles-tests-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let socket = try NotifySocket(name)
        let service = try await Service(
            in: folder, ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"])
        try await socket.wait(for: "READY=1")
        // The output of the service goes to a log, so it must not have the key.
        let key = try String(contentsOfFile: "\(folder)/.handles/admin-key", encoding: .utf8)
        #expect(!service.welcome.contains(key.trimmed) && service.welcome.contains("$(cat '.handles/admin-key')"))
        let postmaster = try #require(TemporaryFolder.postmaster("\(folder)/.handles/postgres/postmaster.pid"))
        let environment = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(postmaster)/environ"))
        let variables = String(decoding: environment, as: UTF8.self).split(separator: "\0")
        #expect(variables.contains { $0.hasPrefix("PATH=") })
        #expect(!variables.contains { $0.hasPrefix("NOTIFY_SOCKET") || $0.hasPrefix("WATCHDOG_") })
        #expect(await service.end(SIGINT) == 0)
        // `WATCHDOG_PID` names another process.
        #expect(!socket.lines.contains("WATCHDOG=1"))
        try await socket.wait(for: "STOPPING=1")
    }

    /// Runs the supervisor service in this process, on event loops of its own, and ends it after `body`.
    private func supervise(
        _ clock: ManualClock, databaseTime: Duration = .seconds(60),
        isReady: @escaping @Sendable () async throws -> Bool,
        _ body: (NotifySocket, MultiThreadedEventLoopGroup) async throws -> Void
    ) async throws {
        let name = "@handles-tests-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let socket = try NotifySocket(name)
        let supervisor = Supervisor(environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000000"])
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let service = SupervisorService(
            supervisor: supervisor, eventLoops: loops, databaseTime: databaseTime, clock: clock, isReady: isReady)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            supervisor.isListening()
            try await body(socket, loops)
            group.cancelAll()
            try await group.waitForAll()
        }
        try await loops.shutdownGracefully()
    }

    /// Advances the clock by half of the watchdog interval, once all tasks that the last step woke are asleep again.
    private func tick(_ clock: ManualClock, sleepers: Int) async throws {
        try await eventually("the service rests") { clock.sleepers == sleepers }
        clock.advance(by: .seconds(1))
        try await eventually("the service rests") { clock.sleepers == sleepers }
    }

    @Test func watchdogPingsStopWhileAnEventLoopIsStuck() async throws {
        let clock = ManualClock()
        try await supervise(clock, isReady: { true }) { socket, loops in
            try await socket.wait(for: "READY=1")
            for _ in 0..<3 {
                // Two tasks sleep: the readiness check of the database and the check of the event loops.
                try await tick(clock, sleepers: 2)
                try await socket.wait(for: "WATCHDOG=1")
            }
            let (isStuck, end) = (Flag(), DispatchSemaphore(value: 0))
            let (stuck, other) = (loops.next(), loops.next())
            async let isFree: Void = stuck.submit {
                isStuck.set()
                end.wait()
            }.get()
            try await eventually("the event loop is stuck") { isStuck.isSet }
            socket.clear()
            for _ in 0..<20 {
                clock.advance(by: .seconds(1))
                try await other.submit {}.get()
            }
            socket.read()
            #expect(!socket.lines.contains("WATCHDOG=1"))
            end.signal()
            try await isFree
            try await socket.wait(for: "WATCHDOG=1")
        }
    }

    @Test func watchdogPingsStopWhileTheReadinessCheckHangs() async throws {
        let (isSilent, hasFallenSilent) = (Flag(), Flag())
        let clock = ManualClock()
        try await supervise(
            clock, databaseTime: .zero,
            isReady: {
                // The check is repeated as long as it returns false.
                guard isSilent.isSet else { return false }
                hasFallenSilent.set()
                try await Task.sleep(for: .seconds(1000))
                return true
            }
        ) { socket, _ in
            try await socket.wait(for: "WATCHDOG=1")
            try await eventually("the service rests") { clock.sleepers == 2 }
            isSilent.set()
            clock.advance(by: .seconds(1))
            try await eventually("the database is silent") { hasFallenSilent.isSet }
            // Twice the five seconds between two readiness checks, and no longer.
            for _ in 0..<9 {
                try await tick(clock, sleepers: 1)
                try await socket.wait(for: "WATCHDOG=1")
            }
            for _ in 0..<10 { try await tick(clock, sleepers: 1) }
            socket.read()
            let said = socket.lines.count { $0 == "WATCHDOG=1" }
            #expect(said <= 1, "one for the look at which it fell silent")
        }
    }

    private final class Flag: Sendable {
        private let value = NIOLockedValueBox(false)
        var isSet: Bool { value.withLockedValue { $0 } }
        func set() { value.withLockedValue { $0 = true } }
    }

    @Test(arguments: [
        [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "@"], ["NOTIFY_SOCKET": "relative"],
        ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)],
    ])
    func supervisorIsOffWithoutAUsableNotifySocket(_ environment: [String: String]) {
        let supervisor = Supervisor(environment: environment.merging(["WATCHDOG_USEC": "1"]) { $1 })
        #expect(supervisor.patience == nil)
        #expect(supervisor.tell(["READY=1"]))
    }

    @Test func notifyingAMissingSupervisorReturnsFalse() {
        let supervisor = Supervisor(
            environment: ["NOTIFY_SOCKET": "/nonexistent", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())"])
        #expect(supervisor.patience == .seconds(3))
        #expect(!supervisor.tell(["READY=1"]))
    }
}
