import HandleRegistry
import HandleRules
import TestSupport
import Testing

/// Look-alikes that are kept for one owner, or for the operator, in an archive.
@Suite struct ArchivedLookalikesTests {
    @Test func importedSeriesStandsAgainstOthersOnly() async throws {
        let (source, registry) = (try await freshRegistry(), try await freshRegistry())
        let us = try owner("us")
        for name in ["acme", "ac_me"] { _ = try await source.reserve(name, Reservation(reason: "series", owner: us)) }
        for name in ["item1", "item_1"] { _ = try await source.reserve(name, Reservation(reason: "ours")) }
        #expect(try await source.claim("acrne", for: us).kind == .done)
        _ = try await restore(lines(source), into: registry)
        #expect(try await lines(registry) == lines(source))
        #expect(try await registry.reserve("a_cme", Reservation(reason: "series", owner: us)).kind == .done)
        #expect(try await registry.reserve("a_c_me", Reservation(reason: "ours")).kind == .refused(.lookalike))
        #expect(try await registry.reserve("i_tem1", Reservation(reason: "ours")).kind == .done)
        #expect(
            try await registry.reserve("ite_m1", Reservation(reason: "series", owner: us)).kind == .refused(.lookalike))
        #expect(try await discrepancies(registry).isEmpty)
    }
}
