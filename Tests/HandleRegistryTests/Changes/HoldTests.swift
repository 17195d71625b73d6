import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite(.consistent) struct HoldTests {
    @Test func repeatedHoldIsTheSameAndItsEndDoesNotMove() async throws {
        let registry = try await freshRegistry()
        let first = try #require(try await registry.hold("jane", for: owner("one")).made)
        let second = try await registry.hold("JANE", for: owner("one"), duration: .seconds(3600))
        #expect(second == .already(first))
    }

    @Test func holdSecretLetsAnotherOwnerClaimOnce() async throws {
        let registry = try await freshRegistry()
        let hold = try #require(try await registry.hold("jane", for: owner("session-1")).made)
        #expect(hold.hold?.hasPrefix("hold_") == true)
        #expect(try await registry.claim("jane", for: owner("user"), hold: "hold_wrong").kind == .refused(.taken))
        #expect(try await registry.claim("jane", for: owner("user"), hold: hold.hold).kind == .done)
        // The secret ends with the hold.
        #expect(try await registry.claim("jane", for: owner("other"), hold: hold.hold).kind == .refused(.taken))
    }

    @Test func holdLapsesAtItsEnd() async throws {
        let registry = try await freshRegistry()
        let hold = try #require(try await registry.hold("jane", for: owner("one"), duration: .seconds(1)).made)
        // The clock of the database decides, and a test can't move it: wait for the end.
        while try await registry.record(of: handle("jane")) != nil { await Task.yield() }
        #expect(try await registry.availability(of: "jane").decision.isAvailable)
        #expect(try await registry.claim("jane", for: owner("two"), hold: hold.hold).kind == .done)
        #expect(try await registry.record(of: handle("jane"))?.version == 2)
    }
}
