import HandleRules
import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.Date

@testable import HandleRegistry

@Suite(.consistent) struct FeedTests {
    @Test func feedHasEveryChangeInTheOrderOfTheCommits() async throws {
        let registry = try await registryWithFeed()
        let (ada, bo) = (try owner("ada"), try owner("bo"))
        _ = try await registry.hold("Hedy_B", for: ada)
        _ = try await registry.claim("Hedy_B", for: ada)
        _ = try await registry.claim("mirko_m", for: bo)
        _ = try await registry.rename(handle("hedy_b"), to: "Hedy_L", for: ada)
        try await registry.release(handle("mirko_m"))
        let events = try await registry.numberedEvents()
        #expect(events.map(\.seq) == [1, 2, 3, 4, 5, 6])
        #expect(
            events.words == [
                "hedy_b held", "hedy_b claimed", "mirko_m claimed", "hedy_b renamed", "hedy_l renamed",
                "mirko_m released",
            ])
        #expect(events.map(\.owner) == [ada, ada, bo, nil, ada, nil])
        #expect(events.map(\.previousOwner) == [nil, ada, nil, ada, nil, bo])
        #expect(events.map(\.event.to) == [.held, .claimed, .claimed, .quarantined, .claimed, .quarantined])
        #expect(events[4].event.display.description == "Hedy_L")
        #expect(events[4].event.related == "hedy_b")
        #expect(events[0].event.until != nil)
    }

    @Test func feedIsReadFromAnyNumberOn() async throws {
        let registry = try await registryWithFeed()
        for number in 0..<7 { _ = try await registry.claim("jorinde_\(number)", for: owner("ada")) }
        let all = try await registry.numberedEvents()
        #expect(try await registry.events(pageSize: 2).words == all.words)
        #expect(try await registry.events(after: 5).map(\.seq) == [6, 7])
        #expect(try await registry.events(after: 7).isEmpty)
    }

    @Test func registryWithoutAFeedNotesNothing() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        guard case .off = try await registry.feed(after: 0, limit: 10) else { throw Unexpected() }
        #expect(try await registry.number("SELECT count(*) FROM feed_outbox") == 0)
        #expect(try await FeedLeader(registry).round() == .off)
        #expect(try await !lines(registry, withHistory: true).contains { $0.contains(#""seq":"#) })
    }

    /// Its number is given after its commit, so a reader that has read on gets it next.
    @Test func changeThatCommitsLateIsNotSkipped() async throws {
        let registry = try await registryWithFeed()
        let late = OutboxRow(at: Date(microsecondsSince1970: 1), version: 1, handle: try handle("mirko_m"))
        let (isOpen, opened) = AsyncStream.makeStream(of: Void.self)
        let (mayCommit, release) = AsyncStream.makeStream(of: Void.self)
        async let committed: Void = registry.pool.transaction { transaction in
            _ = try await transaction.run(NoteForFeed(rows: [late]))
            opened.finish()
            for await _ in mayCommit {}
            try await transaction.commit()
        }
        for await _ in isOpen {}
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        #expect(try await registry.numberedEvents().words == ["hedy_b claimed"])
        release.finish()
        try await committed
        _ = try await FeedLeader(registry, lasting: .zero).round()
        let entries = try await registry.pool.run(FeedEntries(after: 1, limit: 10))
        #expect(entries.map(\.seq) == [2])
        #expect(entries.map(\.handle) == [late.handle])
        // The event itself is not there: as on a cluster, of which another node has not committed it yet.
        #expect(try await registry.events(after: 1).isEmpty)
        try await registry.execute("DELETE FROM feed WHERE seq = 2")
    }

    @Test func bulkReservationsAndImportsAreInTheFeed() async throws {
        let other = try await freshRegistry()
        _ = try await other.claim("hedy_b", for: owner("ada"))
        try await other.release(handle("hedy_b"))
        let archive = try await lines(other, withHistory: true)

        let registry = try await registryWithFeed()
        _ = try await registry.reserve("acme", Reservation(reason: "trademark", owner: owner("bo")))
        _ = try await take(archive, into: registry)
        let events = try await registry.numberedEvents()
        #expect(events.words == ["acme reserved", "hedy_b claimed", "hedy_b released"])
        #expect(events.map(\.owner) == [try owner("bo"), try owner("ada"), nil])
    }

    @Test func statesThatEndByThemselvesAreInTheFeed() async throws {
        let registry = try await registryWithFeed()
        _ = try await registry.hold("hedy_b", for: owner("ada"))
        try await registry.execute("UPDATE names SET until = now() - interval '1s' WHERE handle = 'hedy_b'")
        try await registry.sweep()
        #expect(try await registry.numberedEvents().words == ["hedy_b held", "hedy_b expired"])
    }

    @Test func idOfAForgottenOwnerIsGoneFromTheFeed() async throws {
        let registry = try await registryWithFeed()
        let (ada, bo) = (try owner("ada"), try owner("bo"))
        _ = try await registry.claim("hedy_b", for: ada)
        _ = try await registry.claim("mirko_m", for: bo)
        _ = try await registry.reserve("acme", Reservation(reason: "trademark", owner: ada))
        #expect(try await registry.numberedEvents().map(\.owner) == [ada, bo, ada])
        _ = try #require(try await registry.forget(ada, Registry.testCause))
        let events = try await registry.numberedEvents()
        #expect(events.compactMap(\.owner) == [bo])
        #expect(events.allSatisfy { $0.previousOwner == nil })
        #expect(events.dropFirst(3).map(\.event.action) == [.orphaned, .released])
    }

    @Test func exportHasTheNumberOfItsLastEvent() async throws {
        let registry = try await registryWithFeed()
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        _ = try await registry.numberedEvents()
        _ = try await registry.claim("mirko_m", for: owner("bo"))
        let archive = try await lines(registry, withHistory: true)
        #expect(try #require(archive.last).contains(#""seq":1"#))
        #expect(try await registry.numberedEvents(after: 1).words == ["mirko_m claimed"])
        // Both are imported where there is no feed.
        let copy = try await freshRegistry()
        #expect(try await take(archive, into: copy).counts.imported == 2)
    }
}

private struct Unexpected: Error {}
