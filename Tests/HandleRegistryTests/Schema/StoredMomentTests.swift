import HandleRegistry
import HandleRules
import Postgres
import TestSupport
import Testing

/// Moments in the tables that are out of range; the program writes no such moment.
@Suite struct StoredMomentTests {
    private static let far = ["infinity", "-infinity", "294276-12-31", "4713-01-01 BC", "10000-01-01"]

    @Test(arguments: far) func everyTableRefusesAMomentOutOfRange(_ moment: String) async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.hold("johndoe", for: owner("one"))
        try await registry.change(.add("launch", .exact))
        for (table, column) in [
            ("names", "until = '\(moment)'"), ("names", "changed_at = '\(moment)'"),
            ("handle_events", "until = '\(moment)'"),
            ("owners", "hold_ends = ARRAY['\(moment)'::timestamptz]"), ("reserved_words", "until = '\(moment)'"),
        ] {
            let error = await #expect(throws: PostgresError.self, "\(table) \(column)") {
                try await registry.execute("UPDATE \(table) SET \(column)")
            }
            #expect(error?.sqlState == "23514")
            // Citus does not report the name of the constraint on a worker.
            if !TestCluster.shared.isDistributed { #expect(error?.constraint == "\(table)_moments") }
        }
    }

    /// A moment that was stored by hand makes its own name unreadable, and no other.
    @Test(arguments: far) func momentOutOfRangeFailsOnlyItsOwnName(_ moment: String) async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "brand", owner: owner("one")))
        _ = try await registry.claim("johndoe", for: owner("one"))
        try await registry.execute(
            """
            ALTER TABLE names DROP CONSTRAINT names_moments;
            UPDATE names SET until = '\(moment)' WHERE handle = 'acme';
            """)
        func isUnreadable(_ error: any Error) -> Bool { (error as? PostgresError)?.code == .unreadable }
        await #expect {
            _ = try await lines(registry, withHistory: true)
        } throws: { isUnreadable($0) && "\($0)".contains("the name acme") }
        for _ in 0..<3 {
            for name in ["acme", "4cme"] {
                await #expect(performing: { try await registry.claim(name, for: owner("one")) }, throws: isUnreadable)
            }
        }
        #expect(try await registry.claim("johndoe", for: owner("one")).kind == .already)
        #expect(try await registry.claim("janeroe", for: owner("two")).kind == .done)
    }

    /// An infinite end was once stored by hand to reserve a word for ever; the word stays reserved.
    @Test func infiniteEndLeavesAWordReserved() async throws {
        let registry = try await freshRegistry(policy: Policy())
        try await registry.change(.add("launch", .exact))
        try await registry.execute(
            """
            ALTER TABLE reserved_words DROP CONSTRAINT reserved_words_moments;
            UPDATE reserved_words SET until = 'infinity';
            """)
        try await registry.refreshWords()
        #expect(try await registry.claim("launch", for: owner("one")).kind == .refused(.reservedWord))
    }
}
