import HandleRules
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import HandleRegistry

/// Many writers, services that take the numbering from each other, and readers.
@Suite(.consistent) struct FeedRaceTests {
    private static let names = ["hedy_b", "mirko_m", "jorinde", "bela_k", "olga_f", "tomas_v"]

    @Test(.timeLimit(.minutes(5))) func readersReplayTheFeedToTheStateOfTheRegistry() async throws {
        let registry = try await registryWithFeed(policy: .unlimited)
        let isOver = NIOLockedValueBox(false)
        async let first = read(registry, until: { isOver.withLockedValue(\.self) })
        async let second = read(registry, until: { isOver.withLockedValue(\.self) })
        async let numbering: Void = number(registry, until: { isOver.withLockedValue(\.self) })
        try await race(8) { racer in
            var random = SystemRandomNumberGenerator()
            for _ in 0..<40 { try await change(registry, &random) }
        }
        isOver.withLockedValue { $0 = true }
        try await numbering
        let events = try await first
        #expect(try await second.map(\.seq) == events.map(\.seq))

        #expect(events.map(\.seq) == Array(1...Int64(events.count)))
        for (handle, events) in Dictionary(grouping: events, by: \.event.handle) {
            let history = try await registry.history(of: handle)
            #expect(events.map(\.event.version) == history.map(\.version))
        }
        for name in Self.names {
            let record = try await registry.record(of: handle(name))
            let last = events.last { $0.event.handle.description == name }
            #expect(last.map(\.event.to) == (record?.state ?? last.map { _ in .free }))
            #expect(last?.owner == record?.owner)
            #expect(record == nil || last?.event.version == record?.version)
        }
    }

    private func change(_ registry: Registry, _ random: inout SystemRandomNumberGenerator) async throws {
        let name = Self.names.randomElement(using: &random) ?? ""
        let new = Self.names.randomElement(using: &random) ?? ""
        let owner = try owner(["ada", "bo", "cleo"].randomElement(using: &random) ?? "")
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: _ = try await registry.claim(name, for: owner)
        case 2: _ = try await registry.hold(name, for: owner)
        case 3: _ = try await registry.rename(handle(name), to: new, for: owner)
        case 4: _ = try await registry.perform(Release(handle(name), atOnce: true, Registry.testCause))
        default: _ = try await registry.release(handle(name))
        }
    }

    /// Each round another service numbers the changes, because the one before has lost its lease.
    private func number(_ registry: Registry, until isOver: @escaping @Sendable () -> Bool) async throws {
        let leaders = (0..<3).map { _ in FeedLeader(registry, lasting: .zero) }
        var isLast = false
        while !isLast {
            isLast = isOver()
            try await race(3) { _ = try await leaders[$0].round() }
        }
    }

    /// Reads until the numbering is over and there is nothing more.
    private func read(_ registry: Registry, until isOver: @escaping @Sendable () -> Bool) async throws -> [FeedEvent] {
        var events: [FeedEvent] = []
        while true {
            let page = try await registry.events(after: events.last?.seq ?? 0, pageSize: 7)
            events += page
            let isEmpty = try await registry.number("SELECT count(*) FROM feed_outbox") == 0
            let last = try await registry.feedState().seq
            if isOver(), isEmpty, last == events.last?.seq ?? 0 { return events }
        }
    }
}
