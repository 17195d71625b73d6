import HandleRegistry
import HandleRules
import TestSupport
import Testing

@testable import NameFiles

@Suite struct ChangeJobTests {
    private let scratch = Scratch()
    private var undo: String { "\(scratch.path)/undo.csv" }

    private static let common = "line,record,input,handle,display,result,reasons,duplicate,first_line"

    private func options(_ reason: String? = nil, isDryRun: Bool = false) -> ChangeOptions {
        ChangeOptions(
            Cause(by: Registry.testCause.actor, reason: reason), .csv, isDryRun: isDryRun,
            undo: isDryRun ? nil : UndoFile(path: undo))
    }

    /// The report on a file with these rows.
    private func run<Made>(
        _ job: ChangeJob<Made>, _ rows: String, confirm: ((Int) async throws -> Void)? = nil
    ) async throws -> String {
        let file = try scratch.file(rows.hasPrefix("{") ? "changes.ndjson" : "changes.csv", rows)
        _ = try await job.run(
            path: file, selection: Selection(), confirm: confirm, report: OutputFile(path: report, input: file)
        ) { _ in }
        return String(decoding: try scratch.contents("report"), as: UTF8.self)
    }

    private var report: String { "\(scratch.path)/report" }

    private func undone(_ registry: Registry) async throws -> String {
        let job = UndoJob(registry, Registry.testCause, format: .json, isDryRun: false)
        _ = try await job.run(path: undo, report: OutputFile(path: report, input: undo)) { _ in }
        return String(decoding: try scratch.contents("report"), as: UTF8.self)
    }

    /// The lines of the archive without times and hashes.
    private func states(_ registry: Registry) async throws -> [String] {
        try await lines(registry).map { $0.replacing(#/"(since|sha256)":"[^"]*"/#, with: "") }
    }

    /// Runs a job as a dry run, twice, and undoes it.
    /// - Parameters:
    ///   - report: the report, for the word of a row that is changed or was changed before.
    ///   - undone: the report of the undo.
    private func expect<Made>(
        _ registry: Registry, _ rows: String, reason: String? = nil, done: String, report: (String) -> String,
        undone: String, _ job: (ChangeOptions) -> ChangeJob<Made>
    ) async throws {
        let before = try await states(registry)
        #expect(try await run(job(options(reason, isDryRun: true)), rows) == report(done))
        #expect(try await states(registry) == before)
        #expect(try await run(job(options(reason)), rows) == report(done))
        let after = try await states(registry)
        #expect(after != before)
        #expect(try await run(job(options(reason)), rows) == report("already"))
        #expect(try await states(registry) == after)
        #expect(try await self.undone(registry) == undone)
        #expect(try await states(registry) == before)
        #expect(try await self.undone(registry).isEmpty)
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func fileOfReleasesIsReportedRepeatedAndUndone() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("JohnDoe", for: owner("one"))
        _ = try await registry.reserve("acme", Reservation(reason: "ours"))
        let rows = """
            handle,reason
            johndoe,closed
            JohnDoe,again
            acme,
            free_one,
            J!m,

            """
        func report(_ done: String) -> String {
            """
            \(Self.common),details
            2,1,johndoe,johndoe,johndoe,\(done),,,,
            3,2,JohnDoe,johndoe,JohnDoe,duplicate,,capitals,2,The same name as in line 2.
            4,3,acme,acme,acme,\(done),,,,
            5,4,free_one,free_one,free_one,already,,,,
            6,5,J!m,,,invalid,invalid_character:U+0021:1,,,"'!' (EXCLAMATION MARK) can't be in a handle; use a–z, 0–9 and _."

            """
        }
        try await expect(
            registry, rows, done: "released", report: report,
            undone: """
                {"handle":"johndoe","result":"restored","state":"claimed"}
                {"handle":"acme","result":"restored","state":"reserved"}

                """
        ) { ChangeJob(releasing: registry, atOnce: false, $0) }
        let history = try await registry.history(of: handle("johndoe"))
        #expect(history.map(\.action) == [.claimed, .released, .reverted])
        #expect(history[1].reason == "closed")
    }

    @Test func releasedAtOnceIsFree() async throws {
        let registry = try await freshRegistry()
        for name in ["johndoe", "gone_one"] { _ = try await registry.claim(name, for: owner("one")) }
        try await registry.release(handle("gone_one"))
        _ = try await run(ChangeJob(releasing: registry, atOnce: true, options()), "johndoe\ngone_one\n")
        for name in ["johndoe", "gone_one"] {
            #expect(try await registry.record(of: handle(name)) == nil, "\(name)")
        }
    }

    @Test func fileOfRenamesIsReportedRepeatedAndUndone() async throws {
        let registry = try await freshRegistry(policy: Policy())
        for (name, id) in [("old_one", "one"), ("old_two", "two"), ("theirs", "three")] {
            _ = try await registry.claim(name, for: owner(id))
        }
        let rows = """
            Old Name,New,Owner
            old_one,New_One,one
            old_two,theirs,two
            theirs,new_four,one
            free_one,new_five,one
            other_one,x,two
            last_one,new_six,

            """
        func report(_ done: String) -> String {
            """
            \(Self.common),owner,details,new
            2,1,old_one,old_one,old_one,\(done),,,,one,,New_One
            3,2,old_two,old_two,old_two,unavailable,taken:claimed,,,two,This name is claimed.,theirs
            4,3,theirs,theirs,theirs,differs,,,,one,"It is claimed, not as the row says.",new_four
            5,4,free_one,free_one,free_one,differs,,,,one,"It is free, not as the row says.",new_five
            6,5,other_one,other_one,other_one,invalid,too_short:1,,,two,A handle has at least 3 characters; this has 1.,x
            7,6,last_one,last_one,last_one,unreadable,bad_owner,,,,The owner is not \(Owner.rule).,new_six

            """
        }
        try await expect(
            registry, rows, done: "renamed", report: report,
            undone: """
                {"handle":"new_one","result":"released","state":"free"}
                {"handle":"old_one","result":"restored","state":"claimed"}

                """
        ) { ChangeJob(renaming: registry, taking: false, $0) }
    }

    @Test func fileOfAssignmentsIsReportedRepeatedAndUndone() async throws {
        let registry = try await freshRegistry(policy: Policy())
        for (name, id) in [("mine_mine", "one"), ("theirs", "three"), ("kept_one", "four")] {
            _ = try await registry.claim(name, for: owner(id))
        }
        let rows = """
            {"handle":"acme","to":"one","reason":"papers"}
            {"handle":"Theirs","to":"two","from":"three","reason":"fake"}
            {"handle":"mine_mine","to":"one","reason":"x"}
            {"handle":"kept_one","to":"two","from":"three","reason":"x"}
            {"handle":"no_reason","to":"two"}
            {"handle":"numbers","to":7,"reason":"x"}

            """
        func report(_ done: String) -> String {
            """
            \(Self.common),owner,details
            1,1,acme,acme,acme,\(done),,,,one,
            2,2,Theirs,theirs,Theirs,\(done),,,,two,
            3,3,mine_mine,mine_mine,mine_mine,already,,,,one,
            4,4,kept_one,kept_one,kept_one,differs,,,,two,"It is claimed, not as the row says."
            5,5,no_reason,no_reason,no_reason,unreadable,bad_reason,,,two,The reason is missing or not a few words in one line.
            6,6,numbers,numbers,numbers,\(done),,,,7,

            """
        }
        try await expect(
            registry, rows, done: "assigned", report: report,
            undone: """
                {"handle":"acme","result":"released","state":"free"}
                {"handle":"theirs","result":"restored","state":"claimed"}
                {"handle":"numbers","result":"released","state":"free"}

                """
        ) { ChangeJob(assigning: registry, allowingLookalikes: false, $0) }
    }

    @Test func rowsAreCountedBeforeTheFirstChange() async throws {
        struct Refused: Error {}
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let before = try await lines(registry)
        await #expect(throws: Refused.self) {
            try await run(ChangeJob(releasing: registry, atOnce: false, options()), "johndoe\n\nfree_one\n") { rows in
                #expect(rows == 2)
                throw Refused()
            }
        }
        #expect(try await lines(registry) == before)
    }

    @Test func fileWithoutARequiredColumnIsRefused() async throws {
        let registry = try await freshRegistry()
        let error = await #expect(throws: RecordsError.self) {
            try await run(ChangeJob(renaming: registry, taking: false, options()), "old,owner\njohndoe,one\n")
        }
        #expect(error?.description.hasSuffix("has no column new, only old, owner") == true)
    }
}
