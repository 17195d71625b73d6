import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

/// Watched names while the feed is on.
@Suite(.consistent) struct WatchedFeedTests {
    /// Looks up until only names are looked up that may have changed.
    private func settle(_ watches: Watches) async {
        for _ in 0...WatchedChanges.questionsUntilCertain { await watches.lookUp() }
    }

    private func decision(_ watch: Watches.Watch) async -> Decision? {
        var notices = watch.notices.makeAsyncIterator()
        guard case .decision(let decision)? = await notices.next() else { return nil }
        return decision
    }

    @Test func onlyNamesThatMayHaveChangedAreLookedUp() async throws {
        let registry = try await registryWithFeed()
        try await registry.refreshWords()
        let leader = FeedLeader(registry, lasting: .seconds(3600))
        _ = try await leader.round()
        let watches = Watches(registry, maxWatchers: 10)
        let watch = try watches.watch("hedy_b", by: .init("a"))
        let other = try watches.watch("mirko_m", by: .init("b"))
        await settle(watches)
        let before = registry.lookupMetrics.weight
        await watches.lookUp()
        #expect(registry.lookupMetrics.weight == before)
        #expect(await decision(watch)?.isAvailable == true)
        #expect(await decision(other)?.isAvailable == true)

        // A look-alike counts as well.
        _ = try await registry.reserve("m1rko_m", Reservation(reason: "test"))
        await watches.lookUp()
        #expect(await decision(other)?.isAvailable == true)
        _ = try await leader.round()
        await watches.lookUp()
        #expect(registry.lookupMetrics.weight == before + 1)
        #expect(await decision(other)?.isAvailable == false)
        #expect(await decision(watch)?.isAvailable == true)
        watch.end()
        other.end()
    }

    @Test func namesThatChangeWithoutAnEventAreLookedUpAllTheTime() async throws {
        let registry = try await registryWithFeed()
        try await registry.refreshWords()
        _ = try await FeedLeader(registry, lasting: .seconds(3600)).round()
        _ = try await registry.hold("hedy_b", for: owner("ada"))
        let watches = Watches(registry, maxWatchers: 10)
        let held = try watches.watch("hedy_b", by: .init("a"))
        let owned = try watches.watch("mirko_m", for: owner("bo"), by: .init("b"))
        await settle(watches)
        let before = registry.lookupMetrics.weight
        await watches.lookUp()
        #expect(registry.lookupMetrics.weight == before + 2)
        held.end()
        owned.end()
    }

    @Test func allNamesAreLookedUpWhenNothingNumbersTheEvents() async throws {
        let registry = try await registryWithFeed()
        try await registry.refreshWords()
        _ = try await FeedLeader(registry, lasting: .seconds(3600)).round()
        let watches = Watches(registry, maxWatchers: 10)
        let watch = try watches.watch("hedy_b", by: .init("a"))
        await settle(watches)
        try await registry.execute("UPDATE feed_state SET lease_end = now() - interval '1s'")
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        await watches.lookUp()
        #expect(await decision(watch)?.isAvailable == false)
        watch.end()
    }
}
