import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite struct OwnerLimitTests {
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
        var policy = Policy()
        policy.perOwner = 3
        let registry = try await freshRegistry(policy: policy)
        let outcomes = try await withThrowingTaskGroup(of: ChangeOutcome.Kind.self) { group in
            for number in 0..<24 {
                group.addTask { try await registry.claim("race_\(number)x", for: owner("one")).kind }
            }
            return try await group.reduce(into: [ChangeOutcome.Kind: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == [.done: 3, .refused(.ownerFull): 21])
        #expect(try await registry.records(of: owner("one")).count == 3)
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func refusedClaimDoesNotCountTowardsTheHandleLimit() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("first_name", for: owner("one"))
        for _ in 0..<5 { _ = try await registry.claim("first_name", for: owner("two")) }
        #expect(try await registry.claim("second_name", for: owner("two")).kind == .done)
        #expect(try await discrepancies(registry).isEmpty)
    }
}
