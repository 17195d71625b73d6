import HandleRegistry
import HandleRules
import Logging
import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

@testable import HandleServer

@Suite(.timeLimit(.minutes(5))) struct FeedStreamTests {
    private let clock = ManualClock()

    private func stream(
        _ registry: Registry, mayGoOn: @escaping @Sendable () -> Bool = { true }
    ) -> FeedStream<ManualClock> {
        FeedStream(
            registry: registry, tail: FeedTail(registry), life: .seconds(900), clock: clock, mayGoOn: mayGoOn,
            problem: { Problem.of($0, nil, Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })) })
    }

    /// A write that returns late means that the connection could take no more.
    @Test(arguments: [(5, false), (6, true)])
    func slowReaderGetsALastEvent(_ seconds: Int, _ isSlow: Bool) async throws {
        let (registry, leader) = try await registryWithFeed()
        _ = try await registry.claim("johndoe", for: try #require(Owner("one")))
        _ = try await leader.round()
        var sent: [String] = []
        let first = try await registry.events(after: 0, limit: 10)
        try await stream(registry, mayGoOn: { false }).run(after: 0, first) { bytes in
            sent.append(String(decoding: bytes, as: UTF8.self))
            if sent.last?.hasPrefix("id: 1\n") == true { clock.advance(by: .seconds(seconds)) }
        }
        #expect(sent.count == (isSlow ? 3 : 2))
        #expect(sent.last?.hasPrefix("event: problem\ndata: {\"type\":\"/problems/slow_reader\"") == isSlow)
    }

    @Test func quietStreamSendsKeepAliveCommentsUntilItsLifeEnds() async throws {
        let (registry, _) = try await registryWithFeed()
        let sent = NIOLockedValueBox<[String]>([])
        let reader = Task { [stream = stream(registry)] in
            try await stream.run(after: 0, []) { bytes in
                sent.withLockedValue { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }
        for seconds in [14, 1, 900] {
            try await eventually("the stream waits") { clock.sleepers == 1 }
            clock.advance(by: .seconds(seconds))
        }
        try await reader.value
        #expect(sent.withLockedValue(\.self) == ["retry: 2000\n\n", ": nothing new\n\n", ": nothing new\n\n"])
    }

    @Test func serviceHasAHundredStreamsOfTheFeed() throws {
        let streams = FeedStreams(try Registry(pool: Pool(.init(conninfo: "host=/nonexistent dbname=x"))))
        var places = try (0..<FeedStreams.limit).map { _ in try streams.enter() }
        #expect(throws: Problem.self) { try streams.enter() }
        #expect(streams.count == 100)
        places.removeLast()
        places.append(try streams.enter())
        places.removeAll()
        #expect(streams.count == 0)
    }
}
