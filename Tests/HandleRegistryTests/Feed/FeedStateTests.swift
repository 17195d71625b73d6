import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

/// Turning the feed on and off, what it keeps, and which service numbers the changes.
@Suite(.consistent) struct FeedStateTests {
    @Test func feedOfANewRegistryBeginsWithItsFirstChange() async throws {
        let registry = try await registryWithFeed()
        #expect(try await registry.feedState().seq == 0)
        #expect(try await registry.events().isEmpty)
    }

    @Test func feedThatIsTurnedOnLaterHasNothingFromBefore() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        try await registry.keepFeed(for: .seconds(3600))
        #expect(try await registry.cursorIsExpired(after: 0))
        let start = try await registry.feedState().seq
        _ = try await registry.claim("mirko_m", for: owner("bo"))
        #expect(try await registry.numberedEvents(after: start).words == ["mirko_m claimed"])
        // From a number that was never given, a reader would miss events.
        #expect(try await registry.cursorIsExpired(after: start + 2))
    }

    @Test func cursorsExpireWhenTheFeedIsTurnedOff() async throws {
        let registry = try await registryWithFeed()
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        let last = try #require(try await registry.numberedEvents().last?.seq)
        // Not numbered any more.
        _ = try await registry.claim("jorinde", for: owner("ada"))
        try await registry.keepFeed(for: .zero)
        #expect(try await registry.number("SELECT count(*) FROM feed") == 0)
        _ = try await registry.claim("mirko_m", for: owner("bo"))
        try await registry.keepFeed(for: .seconds(60))
        #expect(try await registry.cursorIsExpired(after: last))
        let start = try await registry.feedState().seq
        #expect(start > last)
        #expect(try await registry.numberedEvents(after: start).isEmpty)
    }

    @Test func settingTheSameTimeAgainChangesNothing() async throws {
        let registry = try await registryWithFeed()
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        let before = try await registry.keepFeed(for: .seconds(86_400))
        #expect(before.kept == .seconds(86_400))
        #expect(try await registry.numberedEvents().words == ["hedy_b claimed"])
    }

    @Test(.notOnCitus("the lock is on the coordinator's table")) func turningOnWaitsForChangesThatHaveBegun()
        async throws
    {
        let registry = try await freshRegistry()
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        let session = try await LockingSession(
            "UPDATE names SET version = version WHERE handle = 'hedy_b'", on: registry.database)
        async let turnedOn = registry.keepFeed(for: .seconds(60))
        try await eventually("the change is waited for") { try await registry.waitingForLocks() == 1 }
        #expect(try await !registry.feedState().isOn)
        try await session.letGo()
        _ = try await turnedOn
        #expect(try await registry.feedState().isOn)
    }

    @Test func oldEventsAreDeletedAndTheirCursorsExpire() async throws {
        let registry = try await registryWithFeed()
        for number in 0..<5 { _ = try await registry.claim("jorinde_\(number)", for: owner("ada")) }
        _ = try await registry.numberedEvents()
        try await registry.trimFeed()
        #expect(try await registry.events().count == 5)
        try await registry.execute("UPDATE feed SET numbered_at = now() - interval '25 hours' WHERE seq <= 2")
        try await registry.trimFeed()
        #expect(try await registry.cursorIsExpired(after: 1))
        #expect(try await registry.events(after: 2).map(\.seq) == [3, 4, 5])
    }

    @Test func oneServiceAtATimeNumbersTheChanges() async throws {
        let registry = try await registryWithFeed()
        let (first, second) = (FeedLeader(registry), FeedLeader(registry))
        #expect(try await first.round() == .idle)
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        #expect(try await second.round() == .follows)
        #expect(try await first.round() == .numbered(1))
        // The first one has stopped.
        try await registry.execute("UPDATE feed_state SET lease_end = now() - interval '1s'")
        _ = try await registry.claim("mirko_m", for: owner("ada"))
        #expect(try await second.round() == .numbered(1))
        #expect(try await first.round() == .follows)
        #expect(try await registry.events().words == ["hedy_b claimed", "mirko_m claimed"])
    }

    @Test func programsThatDeliverHaveACursorOneAtATime() async throws {
        let registry = try await registryWithFeed()
        for number in 0..<3 { _ = try await registry.claim("jorinde_\(number)", for: owner("ada")) }
        _ = try await registry.numberedEvents()
        let (first, second) = (FeedCursor(registry, of: "index"), FeedCursor(registry, of: "index"))
        #expect(try await first.take(beginningAfter: 1) == 1)
        #expect(try await second.take() == nil)
        #expect(try await first.take(movingTo: 2) == 2)
        try await first.release()
        #expect(try await second.take(beginningAfter: 0) == 2)
        #expect(try await first.take(movingTo: 3) == nil)
        #expect(try await FeedCursor(registry, of: "mail").take() == 3)
    }
}
