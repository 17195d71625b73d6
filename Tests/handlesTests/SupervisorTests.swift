import Dispatch
import EmbeddedPostgres
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import handles

@Suite(.serialized) struct SupervisorTests {
    @Test(.timeLimit(.minutes(5))) func hearsOfTheServiceOnceItCanDoItsWork() async throws {
        let folder = TemporaryFolder.make("supervised")
        let socket = try NotifySocket("\(folder)/notify")
        let postgres = try EmbeddedPostgres(folder: "\(folder)/data", settings: ["fsync=off"])
        let service = try await Service(
            in: folder,
            [
                "NOTIFY_SOCKET": "\(folder)/notify", "WATCHDOG_USEC": "400000",
                "DATABASE_URL": "host='\(folder)/data/postgres' user=handles dbname=handles",
                "HANDLES_ADMIN_KEY": "0123456789abcdef",
            ])
        // It listens and lives, and yet it is of no use.
        try await socket.wait(for: "STATUS=waiting for the database: unavailable")
        try await socket.wait(for: "WATCHDOG=1")
        try await socket.wait(for: "WATCHDOG=1")
        #expect(!socket.lines.contains("READY=1"))
        try await postgres.use(as: .command) { _ in
            try await socket.wait(for: "READY=1")
            #expect(try await service.client.send("GET", "/readyz").status == 200)
            try await socket.wait(for: "STATUS=ready")
        }
        // That the database is away is no reason to be started anew.
        try await socket.wait(for: "STATUS=without the database: unavailable")
        try await socket.wait(for: "WATCHDOG=1")
        async let status = service.end(SIGTERM)
        try await socket.wait(for: "STOPPING=1")
        #expect(await status == 0)
        socket.read()
        #expect(!socket.lines.contains("READY=1"))
    }

    @Test(.timeLimit(.minutes(5))) func isTheServicesAlone() async throws {
        let folder = TemporaryFolder.make("children")
        let name = "@handles-tests-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let socket = try NotifySocket(name)
        let service = try await Service(
            in: folder, ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"])
        try await socket.wait(for: "READY=1")
        // What is said goes to a log, which is no place for a key.
        let key = try String(contentsOfFile: "\(folder)/.handles/admin-key", encoding: .utf8)
        #expect(!service.welcome.contains(key.trimmed) && service.welcome.contains("$(cat '.handles/admin-key')"))
        let postmaster = try #require(TemporaryFolder.postmaster("\(folder)/.handles/postgres/postmaster.pid"))
        let environment = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(postmaster)/environ"))
        let variables = String(decoding: environment, as: UTF8.self).split(separator: "\0")
        #expect(variables.contains { $0.hasPrefix("PATH=") })
        #expect(!variables.contains { $0.hasPrefix("NOTIFY_SOCKET") || $0.hasPrefix("WATCHDOG_") })
        #expect(await service.end(SIGINT) == 0)
        // The watchdog waits for another process.
        #expect(!socket.lines.contains("WATCHDOG=1"))
        try await socket.wait(for: "STOPPING=1")
    }

    /// Runs the service in this process, on event loops of its own, and ends it with the test.
    private func supervise(
        longestSilence: Duration = .seconds(60), isReady: @escaping @Sendable () async throws -> Bool,
        _ body: (NotifySocket, MultiThreadedEventLoopGroup) async throws -> Void
    ) async throws {
        let name = "@handles-tests-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let socket = try NotifySocket(name)
        let supervisor = Supervisor(environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "100000"])
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let service = SupervisorService(
            supervisor, eventLoops: loops, longestSilence: longestSilence, isReady: isReady)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            supervisor.isListening()
            try await body(socket, loops)
            group.cancelAll()
            try await group.waitForAll()
        }
        try await loops.shutdownGracefully()
    }

    @Test(.timeLimit(.minutes(5))) func hearsNothingWhileAnEventLoopIsStuck() async throws {
        try await supervise(isReady: { true }) { socket, loops in
            try await socket.wait(for: "READY=1")
            for _ in 0..<3 { try await socket.wait(for: "WATCHDOG=1") }
            let (isStuck, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            loops.next().execute {
                isStuck.signal()
                end.wait()
            }
            await Self.wait(for: isStuck)
            socket.clear()
            try await Task.sleep(for: .seconds(1))
            socket.read()
            // One may have been on its way already; twenty would have come.
            #expect(socket.lines.count { $0 == "WATCHDOG=1" } <= 1)
            end.signal()
            try await socket.wait(for: "WATCHDOG=1")
        }
    }

    @Test(.timeLimit(.minutes(5))) func hearsNothingWhileNothingIsHeardOfTheDatabase() async throws {
        let (isSilent, hasFallenSilent) = (Flag(), Flag())
        try await supervise(
            longestSilence: .milliseconds(300),
            isReady: {
                // It is asked again and again as long as it says no.
                guard isSilent.isSet else { return false }
                hasFallenSilent.set()
                try await Task.sleep(for: .seconds(1000))
                return true
            }
        ) { socket, _ in
            try await socket.wait(for: "WATCHDOG=1")
            isSilent.set()
            while !hasFallenSilent.isSet { try await Task.sleep(for: .milliseconds(10)) }
            try await Task.sleep(for: .milliseconds(800))
            socket.clear()
            try await Task.sleep(for: .milliseconds(500))
            socket.read()
            // One may have been on its way already; ten would have come.
            #expect(socket.lines.count { $0 == "WATCHDOG=1" } <= 1)
        }
    }

    private final class Flag: Sendable {
        private let value = NIOLockedValueBox(false)
        var isSet: Bool { value.withLockedValue { $0 } }
        func set() { value.withLockedValue { $0 = true } }
    }

    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "tests.wait").async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    @Test(arguments: [
        [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "@"], ["NOTIFY_SOCKET": "relative"],
        ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)],
    ])
    func isNotThereWithoutASocket(_ environment: [String: String]) {
        let supervisor = Supervisor(environment: environment.merging(["WATCHDOG_USEC": "1"]) { $1 })
        #expect(supervisor.patience == nil)
        #expect(supervisor.tell(["READY=1"]))
    }

    @Test func mayBeAway() {
        let supervisor = Supervisor(
            environment: ["NOTIFY_SOCKET": "/nonexistent", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())"])
        #expect(supervisor.patience == .seconds(3))
        #expect(!supervisor.tell(["READY=1"]))
    }
}
