import HandleCore
import HandleRegistry
import TestSupport
import Testing

@Suite struct ConfirmTests {
    @Test func findsWhatOwnersHaveClaimedAndNothingElse() async throws {
        let registry = try await freshRegistry()
        let (one, two) = (try owner("one"), try owner("two"))
        for name in ["first_name", "other_name", "given_up"] { _ = try await registry.claim(name, for: one) }
        _ = try await registry.hold("held_name", for: one)
        _ = try await registry.reserve("kept_name", Reservation(reason: "test", owner: one))
        try await registry.release(handle("given_up"))
        let confirmed = try await registry.confirm([
            handle("first_name"): one, handle("other_name"): two, handle("given_up"): one, handle("held_name"): one,
            handle("kept_name"): one, handle("free_name"): one,
        ])
        #expect(try confirmed == [handle("first_name")])
        #expect(try await discrepancies(registry).isEmpty)
    }
}
