import FoundationEssentials
import HandleRegistry
import HandleRules
import TestSupport
import Testing

/// The limits of what one owner may have.
@Suite(.consistent) struct OwnerLimitTests {
    @Test func handleLimitAppliesToClaimsAndHoldsButNotToRepeats() async throws {
        let registry = try await freshRegistry(policy: Policy())
        #expect(try await registry.claim("first_name", for: owner("one")).kind == .done)
        #expect(try await registry.claim("second_name", for: owner("one")).kind == .refused(.ownerFull))
        #expect(try await registry.hold("second_name", for: owner("one")).kind == .refused(.ownerFull))
        #expect(try await registry.claim("first_name", for: owner("one")).kind == .already)
        #expect(try await registry.availability(of: "second_name").decision.isAvailable)
        // All reasons are reported together.
        _ = try await registry.claim("taken_name", for: owner("two"))
        #expect(try await registry.claim("taken_name", for: owner("one")).kind == .refused(.taken, .ownerFull))
        try await registry.release(handle("first_name"))
        #expect(try await registry.claim("second_name", for: owner("one")).kind == .done)
    }

    @Test func handleLimitHoldsWhenAnOwnerRacesForManyNames() async throws {
        let registry = try await freshRegistry(policy: Policy()) { $0.perOwner = 3 }
        let outcomes = try await race(24) { number in
            try await registry.claim("race_\(number)x", for: owner("one")).kind
        }.counts
        #expect(outcomes == [.done: 3, .refused(.ownerFull): 21])
        #expect(try await registry.records(of: owner("one")).count == 3)
    }

    @Test func refusedClaimDoesNotCountTowardsTheHandleLimit() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("first_name", for: owner("one"))
        for _ in 0..<5 { _ = try await registry.claim("first_name", for: owner("two")) }
        #expect(try await registry.claim("second_name", for: owner("two")).kind == .done)
    }

    @Test func newHoldReplacesTheEarlierHoldOfTheOwner() async throws {
        let registry = try await freshRegistry(policy: Policy())
        #expect(try await registry.hold("zzz_first", for: owner("one")).kind == .done)
        #expect(try await registry.hold("aaa_second", for: owner("one")).kind == .done)
        #expect(try await registry.records(of: owner("one")).map(\.handle.description) == ["aaa_second"])
        #expect(try await registry.claim("zzz_first", for: owner("two")).kind == .done)
        // A refused hold leaves the existing one.
        #expect(try await registry.hold("zzz_first", for: owner("one")).kind == .refused(.taken))
        #expect(try await registry.records(of: owner("one")).map(\.handle.description) == ["aaa_second"])
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
        let registry = try await freshRegistry(policy: Policy()) { $0.holdPause = .seconds(1) }
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

    /// Between two holds of a name its owner holds many others, claims the name, or gives it up.
    @Test func pauseLastsWhateverTheOwnerDoesInBetween() async throws {
        let registry = try await freshRegistry(policy: Policy()) { ($0.quarantine, $0.perOwner) = (.zero, 0) }
        let one = try owner("one")
        func expectPause(_ name: String) async throws {
            #expect(try await registry.hold(name, for: one).kind == .paused, "\(name)")
        }
        // Another hold ends the one before.
        for name in ["jane_doe"] + (0..<70).map({ distinctName($0) }) {
            #expect(try await registry.hold(name, for: one).kind == .done)
        }
        for name in ["jane_doe", distinctName(0), distinctName(68)] { try await expectPause(name) }
        #expect(try await registry.claim("jane_doe", for: one).kind == .done)
        try await registry.release(handle("jane_doe"))
        try await expectPause("jane_doe")
        // A claim ends the hold too, and so does a rename.
        for name in ["john_roe", "jim_poe"] { #expect(try await registry.hold(name, for: one).kind == .done) }
        try await expectPause("john_roe")
        #expect(try await registry.claim("jim_poe", for: one).kind == .done)
        try await registry.release(handle("jim_poe"))
        try await expectPause("jim_poe")
        _ = try await registry.claim("old_zebra", for: one)
        #expect(try await registry.hold("new_zebra", for: one).kind == .done)
        #expect(try await registry.rename(handle("old_zebra"), to: "new_zebra", for: one).kind == .done)
        try await registry.release(handle("new_zebra"))
        try await expectPause("new_zebra")
        // Another owner's hold in between does not end the pause.
        #expect(try await registry.hold("new_zebra", for: owner("two")).kind == .done)
        try await registry.release(handle("new_zebra"))
        try await expectPause("new_zebra")
    }

    @Test func ownerKeepsOneHoldAfterRacingForManyNames() async throws {
        let registry = try await freshRegistry(policy: Policy())
        try await race(16) { number in
            _ = try await registry.hold("race_\(number % 8)x", for: owner("one"))
            _ = try await registry.hold("race_\(7 - number % 8)x", for: owner("two"))
        }
        #expect(try await registry.records(of: owner("one")).count <= 1)
        #expect(try await registry.records(of: owner("two")).count <= 1)
    }
}
