import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite struct ReservationTests {
    @Test func reservationKeepsANameFromAllButItsOwner() async throws {
        let registry = try await freshRegistry()
        let reservation = Reservation(reason: "trademark", owner: try owner("acme"))
        #expect(try await registry.reserve("Acme", reservation).kind == .done)
        #expect(try await registry.reserve("acme", reservation).kind == .already)
        #expect(try await registry.claim("acme", for: owner("other")).kind == .refused(.taken))
        #expect(try await registry.claim("acme", for: owner("acme")).kind == .done)
        #expect(try await registry.reserve("acme", reservation).kind == .refused(.taken))
    }

    @Test func reservedWordCanBeReservedAndThenClaimedByItsOwner() async throws {
        let registry = try await freshRegistry()
        let reservation = Reservation(reason: "ours", owner: try owner("us"))
        #expect(try await registry.reserve("support", reservation).kind == .done)
        #expect(try await registry.claim("support", for: owner("them")).kind == .refused(.reservedWord, .taken))
        #expect(try await registry.claim("support", for: owner("us")).kind == .done)
        #expect(try await registry.claim("support", for: owner("us")).kind == .already)
    }

    @Test func releasedReservationIsFree() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        let released = try await registry.release(handle("acme"))
        #expect(released.kind == .done && released.record?.state == .free)
        #expect(try await registry.claim("acme", for: owner("one")).kind == .done)
    }
}
