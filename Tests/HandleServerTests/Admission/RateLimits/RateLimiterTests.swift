import HandleRegistry
import HandleRules
import Testing

@testable import HandleServer

@Suite struct RateLimiterTests {
    private let beginning = ContinuousClock.now
    private let rate: Rate

    init() throws { rate = try #require(ServerLimits().anonymous) }

    @Test func quotaIsAvailableAtOnceAndRefillsAsTimePasses() {
        let limiter = RateLimiter<String>(remembered: 100)
        for count in 1...300 {
            let state = limiter.take(of: rate, for: "a", at: beginning)
            #expect(state == QuotaState(isAllowed: true, remaining: 300 - count, reset: count, retryAfter: 0))
        }
        let refused = limiter.take(of: rate, for: "a", at: beginning)
        #expect(refused == QuotaState(isAllowed: false, remaining: 0, reset: 300, retryAfter: 1))
        // A refused call takes nothing from the quota.
        #expect(limiter.take(of: rate, for: "a", at: beginning + .seconds(1)).isAllowed)
        #expect(!limiter.take(of: rate, for: "a", at: beginning + .seconds(1)).isAllowed)
        #expect(limiter.take(of: rate, for: "b", at: beginning).remaining == 299)
        #expect(limiter.take(of: rate, for: "a", at: beginning + .seconds(1000)).remaining == 299)
    }

    @Test func refillIsExactToTheNanosecond() {
        let limiter = RateLimiter<Int>(remembered: 1 << 20)
        var random = SeededGenerator(seed: 1)
        for caller in 0..<20_000 {
            let moment = beginning + .nanoseconds(Int64.random(in: 0...400_000_000_000, using: &random))
            #expect(limiter.take(300, of: rate, for: caller, at: moment).remaining == 0)
            #expect(!limiter.take(of: rate, for: caller, at: moment + .nanoseconds(999_999_999)).isAllowed)
            #expect(limiter.take(of: rate, for: caller, at: moment + .nanoseconds(1_000_000_000)).isAllowed)
        }
    }

    @Test func costIsTakenInFullOrNotAtAll() {
        let limiter = RateLimiter<String>(remembered: 100)
        #expect(limiter.take(200, of: rate, for: "a", at: beginning).remaining == 100)
        let refused = limiter.take(150, of: rate, for: "a", at: beginning)
        #expect(!refused.isAllowed && refused.remaining == 100 && refused.retryAfter == 50)
        #expect(limiter.take(150, of: rate, for: "a", at: beginning + .seconds(50)).remaining == 0)
        #expect(!limiter.take(.max, of: rate, for: "a", at: beginning + .seconds(5000)).isAllowed)
    }

    @Test func allowedCallsNeverExceedTheQuotaAndItsRefill() throws {
        let rate = try #require(Rate(7, perSeconds: 3))
        let limiter = RateLimiter<Int>(remembered: 100)
        var (now, allowed, random) = (Duration.zero, 0, SeededGenerator(seed: 2))
        for _ in 0..<20_000 {
            now += .milliseconds(Int.random(in: 0...100, using: &random))
            if limiter.take(of: rate, for: 1, at: beginning + now).isAllowed { allowed += 1 }
        }
        let most = Double(7) + now / .seconds(3) * 7
        #expect(Double(allowed) <= most && Double(allowed) > most * 0.99)
    }

    @Test func rateLimiterRemembersABoundedNumberOfCallers() {
        let limiter = RateLimiter<Int>(remembered: 1600)
        for caller in 0..<100_000 { _ = limiter.take(of: rate, for: caller, at: beginning) }
        #expect(limiter.remembered <= 1600)
        // Each remembered caller has a quota; all others of a shard share one.
        let more = (100_000..<110_000).count { limiter.take(of: rate, for: $0, at: beginning).isAllowed }
        #expect(more < 10_000)
        // By now the remembered callers have a full quota again, so they are evicted and there is room.
        #expect(limiter.take(of: rate, for: -1, at: beginning + .seconds(400)).remaining == 299)
        #expect(limiter.remembered < 1600)
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 1), (2_000_000_000, 1)])
    func rateOutOfRangeIsRefused(_ quota: Int, _ seconds: Int) { #expect(Rate(quota, perSeconds: seconds) == nil) }
}
