import HandleCore
import HandleRegistry
import Postgres
import TestSupport
import Testing

@Suite struct WordsTests {
    private func change(_ word: PackedASCII, _ match: ReservedWord.Match?) -> WordChange {
        WordChange(word: word, category: "test", match: match, actor: "tester")
    }

    @Test func addedAreInForceAndCanBeTakenOffAgain() async throws {
        let registry = try await freshRegistry()
        #expect(try await registry.addWord(change("acmecorp", .affix)) == .changed)
        for name in ["acmecorp", "acm3corp", "real_acmecorp", "acmecorp99"] {
            #expect(word(try await registry.claim(name, for: owner("one"))) == "refused: reserved_word")
        }
        #expect(try await registry.addWord(change("acmecorp", .exact)) == .changed)
        #expect(word(try await registry.claim("acm3corp", for: owner("one"))) == "taken")
        #expect(try await registry.removeWord("acmecorp", actor: "tester") == .changed)
        #expect(try await registry.removeWord("acmecorp", actor: "tester") == .notFound)
        #expect(word(try await registry.claim("acmecorp", for: owner("two"))) == "taken")
        #expect(try await registry.wordChanges().map(\.match) == [nil])
    }

    @Test func thatTheProgramCarriesCanBeTakenOffUnlessTheyAreLocked() async throws {
        let registry = try await freshRegistry()
        let count = registry.words.count
        #expect(try await registry.removeWord("blog", actor: "tester") == .changed)
        #expect(registry.words.count == count - 1)
        #expect(word(try await registry.claim("blog", for: owner("one"))) == "taken")
        guard case .locked = try await registry.removeWord("admin", actor: "tester"),
            case .locked = try await registry.addWord(change("support", .exact))
        else {
            Issue.record("a locked word was changed")
            return
        }
        #expect(word(try await registry.claim("supp0rt", for: owner("one"))) == "refused: reserved_word")
    }

    /// Not even somebody who writes into the table can take a locked word off.
    @Test func thatAreLockedStayWhateverTheTableSays() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(conninfo))
        let deadline = ContinuousClock.now + .seconds(60)
        let connection = try await Connection.open(conninfo, until: deadline)
        try await connection.run(
            script: """
                INSERT INTO reserved_words VALUES ('admin', 'roles', 'none', 'hand', '', 'hand', now(), NULL, 1),
                    ('zebra', 'test', 'exact', 'hand', '', 'hand', now(), NULL, 1),
                    ('yak', 'test', 'exact', 'hand', '', 'hand', now(), now() - interval '1s', 1)
                """, until: deadline)
        #expect(try await registry.refreshWords())
        #expect(registry.words.match("admin") != nil)
        #expect(registry.words.match("zebra") != nil)
        #expect(registry.words.match("yak") == nil)
        #expect(try await registry.refreshWords() == false)
    }

    @Test func areTakenInByOtherInstances() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let here = try Registry(pool: patientPool(conninfo))
        let there = try Registry(pool: patientPool(conninfo))
        try await there.refreshWords()
        _ = try await here.addWord(change("zebra", .lookalike))
        #expect(there.words.match("zebra") == nil)
        #expect(try await there.refreshWords())
        #expect(there.words.match("z3bra") != nil)
    }

    @Test func stayWhenTheDatabaseCannotBeRead() async throws {
        let registry = try Registry(pool: Pool(.init(conninfo: "host=/nonexistent dbname=x")))
        let count = registry.words.count
        await #expect(throws: PostgresError.self) { try await registry.refreshWords() }
        #expect(registry.words.count == count && count > 600)
    }

    @Test func lockNobodyOutWhoHasTheNameAlready() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("zebra", for: owner("one"))
        _ = try await registry.addWord(change("zebra", .affix))
        #expect(word(try await registry.claim("zebra", for: owner("one"))) == "already")
        #expect(word(try await registry.claim("zebra", for: owner("two"))) == "refused: reserved_word,taken")
        #expect(try await registry.recase(#require(DisplayHandle("Zebra")))?.display.description == "Zebra")
    }
}
