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

    /// The row may be of a newer program, and it may be a word that must be refused.
    @Test func rowOfAnUnknownKindIsRefusedByItsName() async throws {
        let registry = try await freshRegistry(policy: Policy())
        try await registry.refreshWords()
        try await registry.change(.add("zebra", .exact))
        try await registry.execute(
            """
            ALTER TABLE reserved_words DROP CONSTRAINT reserved_words_kind;
            INSERT INTO reserved_words VALUES ('store', 'payment', 'fuzzy', 'hand', '', 'hand', now(), NULL, 1);
            """)
        for _ in 0..<2 {
            let error = await #expect(throws: PostgresError.self) { try await registry.refreshWords() }
            #expect(error?.code == .unknownValue)
            #expect("\(error, default: "")".contains("'store' has the match 'fuzzy', which this program does not know"))
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
        let registry = try await freshRegistry(policy: Policy())
        try await registry.execute(
            """
            INSERT INTO reserved_words VALUES ('admin', 'roles', 'none', 'hand', '', 'hand', now(), NULL, 1),
                ('zebra', 'test', 'exact', 'hand', '', 'hand', now(), NULL, 1),
                ('yak', 'test', 'exact', 'hand', '', 'hand', now(), now() - interval '1s', 1),
                ('adm1n', 'test', 'innocent', 'hand', '', 'hand', now(), now() - interval '1s', 1)
            """)
        #expect(try await registry.refreshWords())
        #expect(registry.words.match("admin") != nil)
        #expect(registry.words.match("zebra") != nil)
        #expect(registry.words.match("yak") == nil)
        #expect(registry.words.match("adm1n") != nil)
        #expect(try await registry.refreshWords() == false)
    }

    /// Words are checked in the transaction that takes the name; a later word does not affect a name that is taken.
    @Test(arguments: Taking.allCases) func wordAddedWhileANameIsBeingTakenRefusesIt(_ taking: Taking) async throws {
        let registry = try await freshRegistry()
        let other = try Registry(pool: patientPool(registry.database))
        for one in [registry, other] { try await one.refreshWords() }
        _ = try await registry.claim("first_name", for: owner("one"))
        // The operation has decided by the words that it knows, and waits for the lock of the owner's row.
        let session = try await LockingSession("owners", by: "owner", on: registry.database)
        async let outcome = taking.take("acmecorp", registry)
        try await eventually("the operation waits for the lock") { try await registry.waitingForLocks() > 0 }
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
        let here = try await freshRegistry()
        let there = try Registry(pool: patientPool(here.database))
        let words = try await here.wordsInForce()
        #expect(words.effect(of: .exempt("acmecorp")) == .added)
        try await there.change(.add("acmecorp", .affix))
        let error = await #expect(throws: PostgresError.self) {
            try await here.putWords([.exempt("acmecorp"), .add("zebra", .exact)], from: words.version)
        }
        #expect(error?.isOfChangedWords == true)
        #expect(try await here.wordChanges().map(\.kind) == [.word(.affix)])
        // More changes than one transaction has.
        let now = try await here.wordsInForce()
        let many = (0..<1201).map { WordChange.add(PackedASCII("word\($0)x".utf8) ?? PackedASCII(), .exact) }
        try await here.putWords(many, from: now.version)
        #expect(try await here.wordChanges().count == 1202)
        #expect(here.words.match("word1200x") != nil)
    }

    @Test func otherInstancesReadAddedWords() async throws {
        let here = try await freshRegistry()
        let there = try Registry(pool: patientPool(here.database))
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
