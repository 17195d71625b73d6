import Foundation
import Logging
import NIOConcurrencyHelpers
import TestService
import TestSupport
import Testing

@testable import handles

/// The first of many equal warnings is written, and then their number every few seconds.
@Suite(.timeLimit(.minutes(5))) struct RepeatedLinesTests {
    /// Notes the lines instead of writing them.
    private struct NotingHandler: LogHandler {
        var logLevel = Logger.Level.debug
        var metadata = Logger.Metadata()
        let lines: NIOLockedValueBox<[String]>

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.withLockedValue { $0.append((["\(event.message)"] + all).joined(separator: " ")) }
        }
    }

    @Test func repeatedWarningsAreCounted() async throws {
        let (clock, lines) = (ManualClock(), NIOLockedValueBox<[String]>([]))
        let repeated = RepeatedLines(clock: clock)
        let logger = Logger(label: "test") { _ in
            RepeatedLinesHandler(handler: NotingHandler(lines: lines), lines: repeated)
        }
        func expect(_ expected: [String], _ about: Comment) {
            let noted = lines.withLockedValue { lines in
                defer { lines = [] }
                return lines
            }
            #expect(noted.sorted() == expected.sorted(), about)
        }
        func warn(_ times: Int, _ error: String = "away") {
            for number in 0..<times {
                logger.warning("no database", metadata: ["error": "\(error)", "id": "\(number)"])
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await repeated.run() }
            func advance() async throws {
                try await eventually("the counts are due") { clock.sleepers == 1 }
                clock.advance(by: .seconds(5))
                try await eventually("the counts are written") { clock.sleepers == 1 }
            }
            warn(1000)
            warn(2, "slow")
            for _ in 0..<2 { logger.notice("of use") }
            expect(
                ["no database error=away id=0", "no database error=slow id=0", "of use", "of use"], "the first ones")
            try await advance()
            expect(["no database error=away id=999 times=999", "no database error=slow id=1 times=1"], "the counts")
            warn(2)
            try await advance()
            expect(["no database error=away id=1 times=2"], "the counts of the next seconds")
            try await advance()
            warn(1)
            expect(["no database error=away id=0"], "a first one again, after a time without")
            for number in 0..<1000 { logger.error("a fault", metadata: ["error": "\(number)"]) }
            let firsts = lines.withLockedValue(\.count)
            #expect(firsts < 10, "many kinds are counted together")
            group.cancelAll()
            try await group.waitForAll()
            #expect(lines.withLockedValue(\.last) == "a fault error=999 times=992", "the last counts")
        }
    }

    /// The service with the real log, while its database refuses every connection.
    @Test func outageUnderLoadIsLoggedWithFewLines() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let proxy = try ChaosProxy(to: database)
        let folder = TemporaryFolder.make("outage")
        let service = try await Service(
            in: folder,
            [
                "DATABASE_URL": proxy.conninfo(database), "HANDLES_ADMIN_KEY": "0123456789abcdef",
                "HANDLES_DATABASE_TIME": "3s", "HANDLES_LOG": "json",
            ])
        let client = service.client
        try await eventually("the service is ready") { try await client.send("GET", "/readyz").status == 200 }
        proxy.set(.cut)
        let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
            for caller in 0..<8 {
                group.addTask {
                    var statuses: [Int] = []
                    for number in 0..<250 {
                        let path = "/v1/availability?handle=name_\(caller)_\(number)"
                        statuses.append(try await client.send("GET", path).status)
                    }
                    return statuses
                }
            }
            return try await group.reduce(into: [Int]()) { $0 += $1 }
        }
        #expect(statuses.count { $0 == 503 } == 2000)
        proxy.set(.calm)
        #expect(await service.end(SIGTERM) == 0)
        let log = try String(contentsOfFile: service.words, encoding: .utf8)
        let lines = try log.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let moments = try lines.map { try Date(#require($0["time"] as? String), strategy: form) }
        // In five seconds a kind of line is written twice: a first one, and the count of the others.
        let fives = try Int(#require(moments.last).timeIntervalSince(#require(moments.first)) / 5) + 1
        let kinds = Set(lines.map { "\($0["message"] ?? "") \($0["error"] ?? "")" }).count
        #expect(lines.count <= 2 * kinds * fives, "\(log)")
        #expect(kinds <= 10, "\(log)")
        let counts = lines.compactMap { line -> Int? in
            (line["message"] as? String)?.contains("unavailable") == true ? line["times"] as? Int ?? 1 : nil
        }
        #expect(counts.reduce(0, +) == 2000, "every refused request is counted: \(log)")
    }
}
