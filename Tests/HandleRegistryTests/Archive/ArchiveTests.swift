import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct ArchiveTests {
    /// A registry with names in every state and of every kind.
    private func filledRegistry() async throws -> Registry {
        let registry = try await freshRegistry(policy: Policy()) { $0.perOwner = 3 }
        let (one, two, gone) = (try owner("user \"1\" é"), try owner("user-2"), try owner("deleted"))
        for name in ["JohnDoe", "first_name"] { _ = try await registry.claim(name, for: one) }
        _ = try await registry.hold("held_name", for: two, duration: .seconds(3600))
        // In quarantine for their former owner, not in alphabetical order.
        for name in ["zeta_name", "beta_name", "alpha_name"] {
            _ = try await registry.claim(name, for: two)
            try await registry.release(handle(name))
        }
        let last = try #require(Date(endOfDay: "2999-12-31"))
        _ = try await registry.reserve("Acme", Reservation(reason: "trade \"mark\"", owner: two, until: last))
        _ = try await registry.claim("acme", for: two)
        _ = try await registry.reserve("Brand_X", Reservation(reason: "ours", until: last))
        _ = try await registry.reserve("brand_x1", Reservation(reason: "like it"), allowingLookalike: true)
        // A look-alike exception that precedes its original in the archive.
        _ = try await registry.reserve("orbit", Reservation(reason: "ours"))
        _ = try await registry.reserve("0rbit", Reservation(reason: "theirs"), allowingLookalike: true)
        _ = try await registry.perform(
            Claim("4cme", for: one, allowingLookalike: true, Cause(by: Cause.Actor("test", .admin), reason: "checked")))
        _ = try await registry.lock(one, until: last, Registry.testCause)
        _ = try await registry.lock(one, until: nil, Registry.testCause)
        _ = try await registry.lock(two, until: nil, Cause(by: Cause.Actor("test", .admin), reason: "a \"mistake\""))
        _ = try await registry.unlock(two, Registry.testCause)
        _ = try await registry.lock(gone, until: nil, Registry.testCause)
        _ = try await registry.claim("of_deleted", for: gone)
        _ = try await registry.forget(gone, Registry.testCause)
        _ = try await registry.reserve("was_free", Reservation(reason: "for a day"))
        try await registry.release(handle("was_free"))
        try await registry.change(
            WordChange(
                word: "launch", category: "product", kind: .word(.exact), comment: "a \"word\"", actor: "cli:root",
                until: last))
        try await registry.change(.remove("blog"))
        try await registry.change(.add("acmecorp", .authority))
        try await registry.change(.exempt("acm3corp"))
        try await registry.change(.add("zyxwvu", .inside))
        try await registry.change(.add("plkjhg", .whole))
        return registry
    }

    @Test(arguments: [false, true])
    func archiveIsTheSameAfterAnImportAndAnExport(_ withHistory: Bool) async throws {
        let original = try await filledRegistry()
        let archive = try await lines(original, withHistory: withHistory)
        let copy = try await freshRegistry(policy: original.policy)
        // An interrupted import that is repeated: lines that were imported are skipped.
        let half = archive.indices.filter { archive[$0].contains(#""kind":"name""#) }[4]
        _ = try await restore(Array(archive[..<half]), into: copy)
        let (counts, refused) = try await restore(archive, into: copy)
        #expect(refused.isEmpty)
        #expect(counts.already > 0 && counts.imported > 0)
        #expect(try await lines(copy, withHistory: withHistory) == archive)
        #expect(try await discrepancies(copy).isEmpty)
        // A third import changes nothing.
        let again = try await restore(archive, into: copy)
        #expect(again.counts.imported == 0 && again.counts.words == 0 && again.refused.isEmpty)
        #expect(try await lines(copy, withHistory: withHistory) == archive)
        #expect(try await discrepancies(copy).isEmpty)
    }

    /// The copy must decide as the original does, not only contain the same rows.
    @Test func restoredRegistryDecidesAsTheOriginal() async throws {
        let original = try await filledRegistry()
        let copy = try await freshRegistry(policy: original.policy)
        _ = try await restore(lines(original), into: copy)
        for registry in [original, copy] {
            let (one, two, other) = (try owner("user \"1\" é"), try owner("user-2"), try owner("other"))
            #expect(try await registry.claim("johndoe", for: other).kind == .refused(.taken))
            #expect(try await registry.claim("JohnDoe", for: one).kind == .already)
            #expect(try await registry.claim("alpha_name", for: other).kind == .refused(.taken))
            #expect(try await registry.claim("alpha_name", for: two).kind == .done)
            #expect(try await registry.claim("held_name", for: two).kind == .done)
            #expect(try await registry.claim("acm3", for: other).kind == .refused(.lookalike))
            #expect(try await registry.claim("brandx", for: other).kind == .refused(.lookalike))
            #expect(try await registry.claim("launch", for: other).kind == .refused(.reservedWord))
            #expect(try await registry.claim("of_deleted", for: other).kind == .refused(.taken))
            #expect(try await registry.claim("was_free", for: other).kind == .done)
            // The owner has two claims and one by exception, which reaches the limit of three.
            #expect(try await registry.claim("third_name", for: one).kind == .refused(.ownerFull))
            #expect(try await discrepancies(registry).isEmpty)
        }
    }

    @Test func importRefusesNamesAndWordsThatDifferHere() async throws {
        let original = try await filledRegistry()
        let copy = try await freshRegistry(policy: original.policy)
        _ = try await copy.claim("johndoe", for: owner("another"))
        try await copy.change(.add("launch", .exact, category: "other"))
        let before = try await lines(copy, withHistory: true)
        let dry = try await restore(lines(original), into: copy, isDryRun: true)
        #expect(try await lines(copy, withHistory: true) == before)
        let (counts, refused) = try await restore(lines(original), into: copy)
        #expect(dry.counts == counts && dry.refused == refused && counts.words > 0)
        #expect(Set(refused) == ["johndoe", "launch"])
        #expect(counts.refused == 2 && counts.imported > 5)
        #expect(try await copy.record(of: handle("johndoe"))?.owner == owner("another"))
        #expect(try await discrepancies(copy).isEmpty)
    }

    /// An existing reservation and an imported one look alike: each is protected as long as it is reserved.
    @Test(arguments: [["acme", "acrne"], ["acrne", "acme"]], [true, false])
    func importedReservationLeavesAnExistingOneProtected(_ names: [String], _ endsHereFirst: Bool) async throws {
        let (registry, other) = (try await freshRegistry(), try await freshRegistry())
        _ = try await registry.reserve(names[0], Reservation(reason: "here"))
        _ = try await other.reserve(names[1], Reservation(reason: "there"))
        let archive = try await lines(other)
        #expect(try await restore(archive, into: registry).counts.imported == 1)
        for name in endsHereFirst ? names : names.reversed() {
            #expect(try await registry.claim("4cme", for: owner("one")).kind == .refused(.lookalike))
            try await registry.release(handle(name))
        }
        #expect(try await registry.claim("4cme", for: owner("one")).kind == .done)
    }

    /// A reservation that has lapsed since the export does not replace an existing one as the protector.
    @Test func importedReservationThatHasLapsedProtectsNothing() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "here"))
        let lapsed =
            #"{"kind":"name","handle":"acrne","display":"acrne","state":"reserved","reason":"r","#
            + #""since":"2026-01-01T00:00:00.000000Z","until":"2026-01-02T00:00:00.000000Z","protected":1}"#
        _ = try await restore([Self.head, lapsed], into: registry)
        #expect(try await registry.claim("4cme", for: owner("one")).kind == .refused(.lookalike))
        let known = try await BulkLookup(registry, expectedNames: 1).known(about: [handle("4cme")])[0]
        #expect(try known?.protectors.map(\.handle) == [handle("acme")])
    }

    /// Another transaction takes a look-alike of an archived name during the import.
    @Test func importWaitsForAConcurrentTransactionOnALookalikeKey() async throws {
        let registry = try await freshRegistry()
        let original = try await freshRegistry()
        for name in ["acme", "orbit"] { _ = try await original.reserve(name, Reservation(reason: "there")) }
        let archive = try await lines(original)
        let other = try await LockingSession(
            """
            INSERT INTO names (key, place, handle, state, owner, version, change, changed_at, exempt, last_hash)
            VALUES ('\(LookalikeKey(handle("orbit")))', 0, '0rbit', 'c', 'one', 1, 1, now(), false, '')
            """, on: registry.database)
        async let counts = restore(archive, into: registry).counts
        try await eventually("the import waits for the other transaction") {
            try await registry.waitingForLocks() > 0
        }
        try await other.letGo()
        #expect(try await counts.imported == 2)
        for name in ["4cme", "orb1t"] {
            #expect(try await registry.claim(name, for: owner("one")).kind == .refused(.lookalike))
        }
    }

    @Test func importProtectsAReservationThatIsALookalikeException() async throws {
        let registry = try await freshRegistry()
        let since = #""since":"2026-01-01T00:00:00.000000Z""#
        _ = try await restore(
            [
                Self.head,
                #"{"kind":"name","handle":"0rbit","display":"0rbit","state":"reserved","reason":"r",\#(since),"protected":1,"exempt":1}"#,
                #"{"kind":"name","handle":"orbit","display":"orbit","state":"reserved","reason":"r",\#(since),"protected":1}"#,
            ], into: registry)
        for name in ["orbit", "0rbit"] {
            #expect(try await registry.claim("0rb1t", for: owner("one")).kind == .refused(.lookalike))
            try await registry.release(handle(name))
        }
        #expect(try await registry.claim("0rb1t", for: owner("one")).kind == .done)
    }

    @Test func importedQuarantineEndsAtItsTimeAndCounts() async throws {
        let copy = try await freshRegistry(policy: Policy())
        let archive = try await lines(filledRegistry())
        _ = try await restore(archive, into: copy)
        // Only the three names that the archive has in quarantine for the owner keep it from a further one.
        #expect(try await copy.claim("newer_name", for: owner("user-2")).kind == .refused(.tooManyChanges))
        #expect(try await copy.perform(Release(handle("zeta_name"), atOnce: true, Registry.testCause)).kind == .done)
        #expect(try await copy.claim("newer_name", for: owner("user-2")).kind == .done)
        #expect(try await restore(archive, into: copy).refused == ["zeta_name"])
        #expect(try await discrepancies(copy).isEmpty)
    }

    @Test func ownerThatIsLockedOtherwiseKeepsItsLock() async throws {
        let original = try await freshRegistry()
        let (one, two) = (try owner("one"), try owner("two"))
        _ = try await original.lock(one, until: nil, Registry.testCause)
        _ = try await original.lock(two, until: .now + 3600, Registry.testCause)
        _ = try await original.unlock(two, Registry.testCause)
        let archive = try await lines(original)
        let copy = try await freshRegistry()
        _ = try await copy.lock(one, until: .now + 3600, Registry.testCause)
        let plan = try await restore(archive, into: copy, isDryRun: true)
        let made = try await restore(archive, into: copy)
        #expect(plan.refused == ["one"] && made.refused == ["one"] && plan.counts == made.counts)
        #expect(made.counts.locks == 1)
        #expect(try await copy.lock(of: one)?.until != nil)
        #expect(try await restore(archive, into: copy).counts.locks == 0)
        #expect(try await discrepancies(copy).isEmpty)
    }

    @Test func archiveContainsNoHoldSecrets() async throws {
        let registry = try await filledRegistry()
        let record = try #require(try await registry.hold("another_hold", for: owner("user-3")).made)
        let secret = try #require(record.hold)
        for withHistory in [false, true] {
            let text = try await lines(registry, withHistory: withHistory).joined()
            #expect(text.contains("another_hold") && !text.contains(secret) && !text.contains("hold_"))
        }
    }

    private static let head = #"{"kind":"registry","format":1,"history":0}"#
    private static let name =
        #"{"kind":"name","handle":"abc","display":"Abc","state":"claimed","owner":"u","since":"2026-01-01T00:00:00.000000Z"}"#

    private static let word =
        #"{"kind":"word","word":"xyz","category":"c","match":"exact","source":"s","comment":"","actor":"a","changed_at":"2026-01-01T00:00:00Z"}"#

    @Test(arguments: [
        ([name], 1, "begins with"), ([head, "nonsense"], 2, "not a JSON object"), ([head, ""], 2, "not a JSON object"),
        ([head, "{}"], 2, "not a JSON object"), ([head, #"{"kind":"other"}"#], 2, "kind"),
        ([#"{"kind":"registry","format":2,"history":0}"#], 1, "its format is 2, and this program reads format 1"),
        ([head, name.replacing("\"Abc\"", with: "\"Abd\"")], 2, "the same name"),
        ([head, name.replacing("\"abc\"", with: "\"admin!\"")], 2, "the same name"),
        ([head, name.replacing("claimed", with: "stolen")], 2, "state"),
        ([head, name.replacing("claimed", with: "held")], 2, "for its state"),
        ([head, name.replacing("claimed", with: "quarantined")], 2, "for its state"),
        ([head, name.replacing("\"u\"", with: "\"\"")], 2, "owner"),
        ([head, name.replacing("01-01T", with: "13-01T")], 2, "since"),
        ([head, name.replacing("{", with: #"{"version":1,"#)], 2, "first line"),
        ([head, name, #"{"kind":"event"}"#], 3, "version"),
        ([head, name, name], 3, "has abc twice"), ([head, #"{"kind":"word","word":"x!"}"#], 2, "word"),
        ([head, #"{"kind":"word","word":"xyz"}"#], 2, "category"),
        (
            [head, name, name.replacing("{", with: #"{"reason":"a\u0000b","#).replacing("abc", with: "abd")], 3,
            "reason"
        ),
        ([head, name.replacing("{", with: #"{"reason":"\u001b","#)], 2, "its reason has the control character U+001B"),
        ([head, name.replacing("\"u\"", with: #""u\u0000""#)], 2, "owner"),
        ([head, word.replacing("\"c\"", with: #""\u0000""#)], 2, "its category has the control character U+0000"),
        ([head, word.replacing("\"s\"", with: #""\u0000""#)], 2, "source"),
        ([head, word.replacing("\"\"", with: #""\u009b""#)], 2, "its comment has the control character U+009B"),
        ([head, word.replacing("\"a\"", with: #""a\u0000""#)], 2, "actor"),
        ([head, word.replacing("exact", with: "fuzzy")], 2, "'xyz' has the match 'fuzzy'"),
        ([head.replacing("0}", with: "1}"), name.replacing("{", with: #"{"version":1,"#)], 2, "history of abc"),
    ])
    func invalidArchiveLineIsRefused(_ lines: [String], _ line: Int, _ words: String) async throws {
        let registry = try await freshRegistry()
        let fault = await #expect(throws: ArchiveImport.Fault.self) { try await restore(lines, into: registry) }
        #expect(fault?.line == line && fault?.description.contains(words) == true)
        #expect(try await registry.record(of: handle("abc")) == nil)
    }

    @Test(arguments: [Int64.min, 0, Int64.max])
    func archivedEventWithAnInvalidVersionIsRefused(_ version: Int64) async throws {
        let archive = try await lines(filledRegistry(), withHistory: true)
        let event = try #require(archive.firstIndex { $0.contains(#""kind":"event""#) })
        let changed = archive.enumerated().map { number, line in
            number == event ? line.replacing(#/"version":\d+/#, with: "\"version\":\(version)") : line
        }
        let fresh = try await freshRegistry()
        await #expect(throws: ArchiveImport.Fault.self) { try await restore(changed, into: fresh) }
    }

    /// More names than one page of the export or one transaction of the import.
    @Test func archiveContainsTheNamesOfEveryPage() async throws {
        let registry = try await freshRegistry()
        let names = try (0..<4500).map { index in
            NameToReserve(try #require(DisplayHandle(distinctName(index))), Reservation(reason: "many"))
        }
        _ = try await BulkReserve(registry, actor: "test").reserve(names)
        let archive = try await lines(registry)
        #expect(archive.count == 4502)
        #expect(archive[1...4500] == archive[1...4500].sorted()[...])
        let copy = try await freshRegistry()
        _ = try await restore(archive, into: copy)
        #expect(try await lines(copy) == archive)
    }

    @Test func lastPossibleDayPassesThroughAnArchive() async throws {
        let (registry, copy) = (try await freshRegistry(), try await freshRegistry())
        let until = try #require(Date(endOfDay: "9999-12-31"))
        _ = try await registry.reserve("acme", Reservation(reason: "never ends", until: until))
        let archive = try await lines(registry, withHistory: true)
        let (_, refused) = try await restore(archive, into: copy)
        #expect(refused == [])
        #expect(try await lines(copy, withHistory: true) == archive)
        #expect(try await copy.record(of: handle("acme"))?.until == until)
        #expect(try await discrepancies(copy) == [])
    }

    /// An event that was changed by hand must not vanish from the archive.
    @Test func eventOfAnotherNameStopsTheExport() async throws {
        let registry = try await freshRegistry()
        for name in ["acme", "zork"] { _ = try await registry.claim(name, for: owner(name)) }
        for wrong in ["Other", "Acme"] {
            try await registry.execute("UPDATE handle_events SET display = '\(wrong)' WHERE handle = 'zork'")
            let error = await #expect(throws: PostgresError.self) { try await lines(registry, withHistory: true) }
            #expect(error?.code == .unreadable)
        }
        #expect(try await lines(registry).count == 4)
    }
}
