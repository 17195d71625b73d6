import FoundationEssentials
import HandleCore
import HandleRegistry
import TestSupport
import Testing

@Suite struct HoldLimitTests {
    @Test func newHoldReplacesTheEarlierHoldOfTheOwner() async throws {
        let registry = try await freshRegistry(policy: Policy())
        #expect(try await registry.hold("zzz_first", for: owner("one")).kind == .done)
        #expect(try await registry.hold("aaa_second", for: owner("one")).kind == .done)
        #expect(try await registry.records(of: owner("one")).map(\.handle.description) == ["aaa_second"])
        #expect(try await registry.claim("zzz_first", for: owner("two")).kind == .done)
        // A refused hold leaves the existing one.
        #expect(try await registry.hold("zzz_first", for: owner("one")).kind == .refused(.taken))
        #expect(try await registry.records(of: owner("one")).map(\.handle.description) == ["aaa_second"])
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func lapsedHoldIsNotRenewedBeforeThePauseEnds() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.hold("jane_doe", for: owner("one"), duration: .seconds(1))
        // The clock of the database decides, and a test can't move it: wait for the end.
        while try await registry.record(of: handle("jane_doe")) != nil { await Task.yield() }
        guard case .refused(.paused(let end)) = try await registry.hold("jane_doe", for: owner("one")) else {
            Issue.record("held again at once")
            return
        }
        #expect(end.timeIntervalSinceNow > 0 && end.timeIntervalSinceNow <= 600)
        // The name is available to others, and the same owner may claim it.
        #expect(try await registry.availability(of: "jane_doe").decision.isAvailable)
        #expect(try await registry.claim("jane_doe", for: owner("one")).kind == .done)
    }

    @Test func lapsedHoldIsRenewedAfterThePause() async throws {
        var policy = Policy()
        policy.holdPause = .seconds(1)
        let registry = try await freshRegistry(policy: policy)
        _ = try await registry.hold("jane_doe", for: owner("one"), duration: .seconds(1))
        while try await registry.record(of: handle("jane_doe")) != nil { await Task.yield() }
        while try await registry.hold("jane_doe", for: owner("one")).kind == .paused { await Task.yield() }
        #expect(try await registry.record(of: handle("jane_doe"))?.version == 2)
    }

    @Test func releasedHoldStartsThePauseToo() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.hold("jane_doe", for: owner("one"))
        try await registry.release(handle("jane_doe"))
        #expect(try await registry.hold("jane_doe", for: owner("one")).kind == .paused)
        #expect(try await registry.hold("jane_doe", for: owner("two")).kind == .done)
    }

    @Test func ownerKeepsOneHoldAfterRacingForManyNames() async throws {
        let registry = try await freshRegistry(policy: Policy())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    _ = try await registry.hold("race_\(number % 8)x", for: owner("one"))
                    _ = try await registry.hold("race_\(7 - number % 8)x", for: owner("two"))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await registry.records(of: owner("one")).count <= 1)
        #expect(try await registry.records(of: owner("two")).count <= 1)
        #expect(try await discrepancies(registry).isEmpty)
    }
}
