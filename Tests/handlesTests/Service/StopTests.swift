import Foundation
import HandleRegistry
import Logging
import NIOConcurrencyHelpers
import Postgres
import ServiceLifecycle
import TestService
import TestSupport
import Testing

@testable import handles

/// Stops under load: every accepted request gets an answer.
@Suite(.serialized) struct StopTests {
    private struct Outcomes {
        var answered = 0
        /// Requests that were sent on an open connection and got no complete answer.
        var cut: [String] = []
    }

    /// With TLS the signal reads the certificate again.
    @Test(.timeLimit(.minutes(5))) func hangupWithoutTLSLeavesTheServiceRunning() async throws {
        let service = try await Service(in: TemporaryFolder.make("hangup"))
        for count in 1...2 {
            service.signal(SIGHUP)
            try await eventually("the signal is logged") {
                let words = try String(contentsOfFile: service.words, encoding: .utf8)
                return words.components(separatedBy: "SIGHUP has no effect").count > count
            }
        }
        #expect(try await service.client.send("GET", "/livez").status == 200)
        #expect(await service.end(SIGTERM) == 0)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func stopAtFullLoadAnswersEveryRequest(_ keepsAlive: Bool) async throws {
        let folder = TemporaryFolder.make("stopped")
        for round in 0..<2 {
            let service = try await Service(in: folder, ["HANDLES_ANONYMOUS_LIMIT": "none", "HANDLES_DRAIN": "200ms"])
            let outcomes = NIOLockedValueBox(Outcomes())
            let callers = (0..<12).map { number in
                let caller = Thread {
                    let request =
                        "GET /v1/availability?handle=caller_\(number) HTTP/1.1\r\nHost: x\r\n"
                        + (keepsAlive ? "\r\n" : "Connection: close\r\n\r\n")
                    call(service.client, Array(request.utf8), outcomes)
                }
                caller.start()
                return caller
            }
            try await eventually("the service is at work") { outcomes.withLockedValue(\.answered) >= 200 }
            #expect(await service.end(SIGTERM) == 0)
            try await eventually("nobody asks any more") { callers.allSatisfy(\.isFinished) }
            let cut = outcomes.withLockedValue(\.cut)
            #expect(cut.isEmpty, "round \(round)")
        }
    }

    /// Sends requests until the service accepts no more connections.
    private func call(_ client: HTTPClient, _ request: [UInt8], _ outcomes: NIOLockedValueBox<Outcomes>) {
        while true {
            var free = ContinuousClock.now
            guard let descriptor = try? client.connect() else { return }
            defer { close(descriptor) }
            while true {
                let sent = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                // A connection that has been idle for so long may be closed by the service.
                let isLate = ContinuousClock.now - free > .milliseconds(300)
                guard sent == request.count else {
                    if !isLate { outcomes.withLockedValue { $0.cut.append("sent to nobody, errno \(errno)") } }
                    break
                }
                var (answer, buffer) = ("", [UInt8](repeating: 0, count: 8192))
                while !isComplete(answer), case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
                    answer += String(decoding: buffer[..<count], as: UTF8.self)
                }
                free = .now
                let (isAnswered, words) = (isComplete(answer), "'\(answer)', errno \(errno)")
                outcomes.withLockedValue { outcomes in
                    if isAnswered { outcomes.answered += 1 } else if !isLate { outcomes.cut.append(words) }
                }
                if !isAnswered || answer.lowercased().contains("connection: close") { break }
            }
        }
    }

    private func isComplete(_ answer: String) -> Bool {
        guard let head = answer.range(of: "\r\n\r\n"),
            let length = answer.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap({ Int($0.1) })
        else { return false }
        return answer[head.upperBound...].utf8.count >= length
    }

    /// The service waits for such a client until the drain limit, and not until the write timeout.
    @Test(.timeLimit(.minutes(5)), arguments: ["", "Connection: close\r\n"])
    func clientThatReadsNothingDoesNotKeepTheServiceFromStopping(_ fields: String) async throws {
        let service = try await Service(
            in: TemporaryFolder.make("unread"),
            [
                "HANDLES_DRAIN": "0s", "HANDLES_DRAIN_LIMIT": "1s", "HANDLES_SEND_TIME": "1h",
                "HANDLES_IDLE_TIME": "1h",
                "HANDLES_ANONYMOUS_LIMIT": "none",
            ])
        let descriptor = try service.client.connect(isSlow: true)
        defer { close(descriptor) }
        HTTPClient.send(HTTPClient.batchRequest(fields), on: descriptor)
        let answer = await HTTPClient.part(of: descriptor)
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(await service.end(SIGTERM) == 0)
    }

    /// Ctrl-C skips the drain, which waits for proxies to notice. So does a second signal.
    @Test(.timeLimit(.minutes(5))) func interruptAndSecondSignalSkipTheDrain() async throws {
        let service = try await Service(in: TemporaryFolder.make("quick"), ["HANDLES_DRAIN": "10m"])
        #expect(await service.end(SIGINT) == 0)
        let other = try await Service(in: TemporaryFolder.make("twice"), ["HANDLES_DRAIN": "10m"])
        let client = other.client
        let stopping = Task.detached { await other.end(SIGTERM) }
        try await eventually("the service drains") { try await client.send("GET", "/readyz").status == 503 }
        other.signal(SIGTERM)
        #expect(await stopping.value == 0)
    }

    /// A service that runs `ending` before it stops.
    private struct SlowService: ServiceLifecycle.Service {
        let ending: @Sendable () async throws -> Void

        func run() async throws {
            try await gracefulShutdown()
            try await ending()
        }
    }

    /// A stop in the middle of the schema check is a normal stop.
    @Test(.timeLimit(.minutes(5))) func stopDuringTheSchemaCheckIsNoError() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        // The lock makes the schema check wait for its answer.
        let other = try await Connection.open(database, until: .now + .seconds(30))
        try await other.run(
            script: "BEGIN; LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE", until: .now + .seconds(30))
        let pool = Pool(.init(conninfo: database))
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let service = SchemaService(registry: try Registry(pool: pool), logger: logger)
        // Services stop in reverse order: the schema check gets its answer while this one stops, before its own turn.
        let slow = SlowService {
            await other.close()
            try await eventually("the schema has been looked at") { pool.metrics.idle == pool.metrics.connections }
        }
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: service, successTerminationBehavior: .ignore), .init(service: slow)],
                logger: logger))
        let running = Task { try await group.run() }
        try await eventually("the schema is looked at") { try await waitingForLocks(on: database, onlyHere: true) > 0 }
        await group.triggerGracefulShutdown()
        try await running.value
        await pool.close()
    }

    /// Two services of one registry are restarted one after the other. Clients of the ready one see no failure.
    @Test(.timeLimit(.minutes(5))) func rollingRestartFailsNoRequest() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let variables = [
            "DATABASE_URL": database, "HANDLES_ANONYMOUS_LIMIT": "none", "HANDLES_DRAIN": "1s",
            "HANDLES_ADMIN_KEY": "0123456789abcdef",
        ]
        let folder = TemporaryFolder.make("in turn")
        let ready = NIOLockedValueBox<[TestService.Service]>([])
        for _ in 0..<2 {
            let service = try await Service(in: folder, variables)
            ready.withLockedValue { $0.append(service) }
        }
        let (failures, answers) = (NIOLockedValueBox<[String]>([]), NIOLockedValueBox(0))
        let asking = Task.detached {
            while !Task.isCancelled {
                // As a proxy that often polls /readyz: it sends requests only to services that are ready.
                for service in ready.withLockedValue({ $0 }) {
                    let asked = ContinuousClock.now
                    let isReady = (try? await service.client.send("GET", "/readyz").status) == 200
                    guard isReady else { continue }
                    let status = try? await service.client.send("GET", "/v1/availability?handle=johndoe").status
                    if status == 200 {
                        answers.withLockedValue { $0 += 1 }
                    } else if .now - asked < .seconds(1) {
                        // A request sent later than the drain period may be refused.
                        failures.withLockedValue { $0.append("\(String(describing: status))") }
                    }
                }
            }
        }
        for _ in 0..<3 {
            let old = ready.withLockedValue { $0[0] }
            let ending = Task.detached { await old.end(SIGTERM) }
            let status = await ending.value
            #expect(status == 0)
            let new = try await Service(in: folder, variables)
            ready.withLockedValue { services in
                services.removeFirst()
                services.append(new)
            }
        }
        asking.cancel()
        await asking.value
        #expect(failures.withLockedValue { $0 }.isEmpty)
        #expect(answers.withLockedValue { $0 } > 10)
        for service in ready.withLockedValue({ $0 }) { await service.end(SIGTERM) }
    }
}
