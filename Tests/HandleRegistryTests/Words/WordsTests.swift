import HandleRules
import HandleWords
import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct WordsTests {
    @Test func addedWordIsInForceUntilItIsRemoved() async throws {
        let registry = try await freshRegistry()
        #expect(try await registry.change(.add("acmecorp", .affix)) == .added)
        for name in ["acmecorp", "acm3corp", "real_acmecorp", "acmecorp99"] {
            #expect(try await registry.claim(name, for: owner("one")).kind == .refused(.reservedWord))
        }
        #expect(try await registry.change(.add("acmecorp", .exact)) == .changed)
        #expect(try await registry.claim("acm3corp", for: owner("one")).kind == .done)
        #expect(try await registry.change(.remove("acmecorp")) == .removed)
        #expect(try await registry.change(.remove("acmecorp")) == .same)
        #expect(try await registry.claim("acmecorp", for: owner("two")).kind == .done)
        #expect(try await registry.wordChanges().map(\.kind) == [.removed])
    }

    @Test func innocentNameCanBeClaimedUntilItIsTakenOff() async throws {
        let registry = try await freshRegistry()
        try await registry.change(.add("acmecorp", .affix))
        #expect(try await registry.claim("acm3corp", for: owner("one")).kind == .refused(.reservedWord))
        #expect(try await registry.change(.exempt("acm3corp")) == .added)
        #expect(try await registry.claim("acm3corp", for: owner("one")).kind == .done)
        #expect(try await registry.claim("acmec0rp", for: owner("two")).kind == .refused(.reservedWord))
        #expect(try await registry.claim("acmecorp", for: owner("two")).kind == .refused(.reservedWord))
        #expect(try await registry.change(.remove("acm3corp")) == .removed)
        #expect(try await registry.claim("acm3corp", for: owner("two")).kind == .refused(.reservedWord, .taken))
        #expect(try await registry.wordChanges().map(\.kind) == [.removed, .word(.affix)])
    }

    @Test func wordOfTheKindAuthorityIsInForceEverywhere() async throws {
        let registry = try await freshRegistry()
        try await registry.change(.add("acmecorp", .authority))
        for name in ["acmecorp", "acm3corp", "acmecorp_team", "realacmecorp"] {
            #expect(try await registry.claim(name, for: owner("one")).kind == .refused(.reservedWord))
        }
        for name in ["acmecorp1", "myacmecorp", "accmecorp"] {
            #expect(try await registry.claim(name, for: owner("one")).kind == .done)
        }
    }

    /// The row may be of a newer program, and it may be a word that must be refused.
    @Test func rowOfAnUnknownKindIsRefusedByItsName() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(conninfo))
        try await registry.refreshWords()
        try await registry.change(.add("zebra", .exact))
        try await execute(
            """
            ALTER TABLE reserved_words DROP CONSTRAINT reserved_words_kind;
            INSERT INTO reserved_words VALUES ('store', 'payment', 'fuzzy', 'hand', '', 'hand', now(), NULL, 1);
            """, on: conninfo)
        for _ in 0..<2 {
            await #expect {
                _ = try await registry.refreshWords()
            } throws: { error in
                (error as? PostgresError)?.code == .unknownValue
                    && "\(error)".contains("'store' has the match 'fuzzy', which this program does not know")
            }
        }
        // The words of before stay in force.
        #expect(registry.words.match("st0re") != nil)
        #expect(registry.words.match("zebra") != nil)
        await #expect(throws: PostgresError.self) { try await registry.wordsInForce() }
    }

    @Test func builtInWordCanBeRemovedUnlessItIsLocked() async throws {
        let registry = try await freshRegistry()
        let count = registry.words.count
        #expect(try await registry.change(.remove("blog")) == .removed)
        #expect(registry.words.count == count - 1)
        #expect(try await registry.claim("blog", for: owner("one")).kind == .done)
        guard case .locked = try await registry.change(.remove("admin")),
            case .locked = try await registry.change(.add("support", .exact))
        else {
            Issue.record("a locked word was changed")
            return
        }
        #expect(try await registry.claim("supp0rt", for: owner("one")).kind == .refused(.reservedWord))
    }

    /// A row in the table can't remove a locked word.
    @Test func lockedWordStaysWhateverTheTableSays() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(conninfo))
        let deadline = ContinuousClock.now + .seconds(60)
        let connection = try await Connection.open(conninfo, until: deadline)
        try await connection.run(
            script: """
                INSERT INTO reserved_words VALUES ('admin', 'roles', 'none', 'hand', '', 'hand', now(), NULL, 1),
                    ('zebra', 'test', 'exact', 'hand', '', 'hand', now(), NULL, 1),
                    ('yak', 'test', 'exact', 'hand', '', 'hand', now(), now() - interval '1s', 1),
                    ('adm1n', 'test', 'innocent', 'hand', '', 'hand', now(), now() - interval '1s', 1)
                """, until: deadline)
        #expect(try await registry.refreshWords())
        #expect(registry.words.match("admin") != nil)
        #expect(registry.words.match("zebra") != nil)
        #expect(registry.words.match("yak") == nil)
        #expect(registry.words.match("adm1n") != nil)
        #expect(try await registry.refreshWords() == false)
    }

    /// Words are checked in the transaction that takes the name; a later word does not affect a name that is taken.
    @Test(arguments: Taking.allCases) func wordAddedWhileANameIsBeingTakenRefusesIt(_ taking: Taking) async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        let other = try Registry(pool: patientPool(database))
        for one in [registry, other] { try await one.refreshWords() }
        _ = try await registry.claim("first_name", for: owner("one"))
        // The operation has decided by the words that it knows, and waits for the lock of the owner's row.
        let session = try await LockingSession("owners", by: "owner", on: database)
        async let outcome = taking.take("acmecorp", registry)
        try await eventually("the operation waits for the lock") { try await waitingForLocks(on: database) > 0 }
        // Another instance adds the word, and this one has not read it yet.
        #expect(try await other.change(.add("acmecorp", .exact)) == .added)
        try await session.letGo()
        #expect(try await outcome == .refused(.reservedWord))
        #expect(try await registry.record(of: handle("acmecorp")) == nil)
        #expect(registry.words.match("acmecorp") != nil)
        #expect(try await taking.take("acmeshop", registry) == .done)
    }

    enum Taking: CaseIterable {
        case claim, claimOnce, claimWithOthers, hold, rename

        func take(_ name: String, _ registry: Registry) async throws -> ChangeOutcome.Kind {
            let claim = Claim(name, for: try owner("one"), Registry.testCause)
            switch self {
            case .claim: return try await registry.perform(claim).kind
            case .claimWithOthers:
                let second = Claim("\(name)_b", for: try owner("two"), Registry.testCause)
                return try await registry.writes.write([claim, second])[0].kind
            case .claimOnce:
                let request = IdempotentRequest(key: name, caller: "tester", content: [])
                let kind = NIOLockedValueBox<ChangeOutcome.Kind?>(nil)
                @Sendable func answer(_ kind: ChangeOutcome.Kind) -> Answer {
                    Answer(status: 200, headers: [], body: Array("\(kind)".utf8))
                }
                let reply = try await registry.perform(claim, once: request) { outcome in
                    kind.withLockedValue { $0 = outcome.kind }
                    return answer(outcome.kind)
                }
                let answered = try #require(kind.withLockedValue { $0 })
                #expect(reply == .answer(answer(answered)))
                return answered
            case .hold:
                return try await registry.hold(name, for: owner("one")).kind
            case .rename:
                return try await registry.rename(handle("first_name"), to: name, for: owner("one")).kind
            }
        }
    }

    /// A name that has become a word meanwhile would become innocent, and could be claimed.
    @Test func changeDecidedByEarlierWordsIsNotMade() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let here = try Registry(pool: patientPool(conninfo))
        let there = try Registry(pool: patientPool(conninfo))
        let words = try await here.wordsInForce()
        #expect(words.effect(of: .exempt("acmecorp")) == .added)
        try await there.change(.add("acmecorp", .affix))
        await #expect {
            try await here.putWords([.exempt("acmecorp"), .add("zebra", .exact)], from: words.version)
        } throws: { ($0 as? PostgresError)?.isOfChangedWords == true }
        #expect(try await here.wordChanges().map(\.kind) == [.word(.affix)])
        // More changes than one transaction has.
        let now = try await here.wordsInForce()
        let many = (0..<1201).map { WordChange.add(PackedASCII("word\($0)x".utf8) ?? PackedASCII(), .exact) }
        try await here.putWords(many, from: now.version)
        #expect(try await here.wordChanges().count == 1202)
    }

    @Test func otherInstancesReadAddedWords() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let here = try Registry(pool: patientPool(conninfo))
        let there = try Registry(pool: patientPool(conninfo))
        try await there.refreshWords()
        try await here.change(.add("zebra", .lookalike))
        #expect(there.words.match("zebra") == nil)
        #expect(try await there.refreshWords())
        #expect(there.words.match("z3bra") != nil)
    }

    @Test func wordsStayInForceWhenTheDatabaseCannotBeRead() async throws {
        let registry = try Registry(pool: Pool(.init(conninfo: "host=/nonexistent dbname=x")))
        let count = registry.words.count
        await #expect(throws: PostgresError.self) { try await registry.refreshWords() }
        #expect(registry.words.count == count && count > 600)
    }

    @Test func ownerKeepsANameThatBecomesAReservedWord() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("zebra", for: owner("one"))
        try await registry.change(.add("zebra", .affix))
        #expect(try await registry.claim("zebra", for: owner("one")).kind == .already)
        #expect(try await registry.claim("zebra", for: owner("two")).kind == .refused(.reservedWord, .taken))
        #expect(try await registry.recase(#require(DisplayHandle("Zebra")))?.display.description == "Zebra")
    }
}
