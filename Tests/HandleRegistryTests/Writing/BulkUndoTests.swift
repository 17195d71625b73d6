import Foundation
import HandleRules
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct BulkUndoTests {
    private let cause = Registry.testCause

    /// Undoes the last changes of handles.
    private func undo(
        _ names: String..., in registry: Registry, isDryRun: Bool = false
    ) async throws -> [ChangeOutcome] {
        try await BulkUndo(registry, cause, isDryRun: isDryRun).undo(changes(of: names, in: registry))
    }

    private func changes(of names: [String], in registry: Registry) async throws -> [(handle: Handle, change: Int64)] {
        let handles = try names.map { try handle($0) }
        let records = try await registry.lookUp(handles)
        return try handles.map { ($0, try #require(records[$0]).change) }
    }

    private func record(_ name: String, in registry: Registry) async throws -> Record? {
        try await registry.record(of: handle(name))
    }

    /// The lines of the archive without times, versions and hashes.
    private func states(_ registry: Registry) async throws -> [String] {
        try await lines(registry).map { $0.replacing(#/"(since|sha256)":"[^"]*"/#, with: "") }
    }

    /// The ways in which a claimed name is lost.
    enum Loss: CaseIterable {
        case assigned, reserved, released, freed, renamed

        func take(_ name: String, from owner: Owner, in registry: Registry) async throws {
            let (cause, old) = (Registry.testCause, try handle(name))
            switch self {
            case .assigned: _ = try await registry.perform(Assign(name, to: TestSupport.owner("thief"), cause))
            case .reserved:
                let name = NameToReserve(try #require(DisplayHandle(name)), Reservation(reason: "by mistake"))
                _ = try await BulkReserve(registry, taking: true, actor: "test").reserve([name])
            case .released: _ = try await registry.perform(Release(old, cause))
            case .freed: _ = try await registry.perform(Release(old, atOnce: true, cause))
            case .renamed: _ = try await registry.perform(Rename(old, to: "x_\(name)", for: owner, cause))
            }
        }
    }

    @Test func undoneClaimIsFreeAtOnce() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("johndoe", for: owner("one"))
        #expect(try await undo("johndoe", in: registry, isDryRun: true).map(\.kind) == [.done])
        #expect(try await record("johndoe", in: registry)?.state == .claimed)
        #expect(try await undo("johndoe", in: registry).map(\.kind) == [.done])
        #expect(try await registry.history(of: handle("johndoe")).map(\.action) == [.claimed, .reverted])
        // Another owner can have it, and its owner another name.
        #expect(try await registry.claim("johndoe", for: owner("two")).kind == .done)
        #expect(try await registry.claim("jane_roe", for: owner("one")).kind == .done)
    }

    @Test(arguments: Loss.allCases)
    func takenNameIsGivenBackToItsOwner(_ loss: Loss) async throws {
        let registry = try await freshRegistry(policy: Policy())
        let one = try owner("one")
        _ = try await registry.claim("JohnDoe", for: one)
        let before = try await states(registry)
        try await loss.take("johndoe", from: one, in: registry)
        let changes = try await changes(of: ["johndoe"], in: registry)
        let undo = BulkUndo(registry, cause)
        let dryRun = try await BulkUndo(registry, cause, isDryRun: true).undo(changes).map(\.kind)
        #expect(dryRun == [.done])
        let record = try #require(try await undo.undo(changes).first?.made)
        #expect(record.state == .claimed && record.owner == one && record.display.description == "JohnDoe")
        #expect(try await states(registry) == before)
        // A repeated undo changes nothing.
        #expect(try await undo.undo(changes) == [.already(record)])
        #expect(try await registry.claim("other_name", for: one).kind == .refused(.ownerFull))
        #expect(try await registry.release(handle("johndoe")).kind == .done)
    }

    @Test func quarantinedNameIsQuarantinedAgainUntilTheSameTime() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let quarantined = try #require(try await registry.release(handle("johndoe")).made)
        _ = try await registry.perform(Assign("JOHNDOE", to: owner("two"), cause))
        #expect(try await undo("johndoe", in: registry).map(\.kind) == [.done])
        let record = try #require(try await record("johndoe", in: registry))
        #expect(record.state == .quarantined && record.former == quarantined.former)
        #expect(record.until == quarantined.until)
        #expect(try await registry.claim("johndoe", for: owner("two")).kind == .refused(.taken))
        #expect(try await registry.claim("johndoe", for: owner("one")).kind == .done)
    }

    @Test func reservationIsMadeAgainWithItsReasonAndEnd() async throws {
        let registry = try await freshRegistry()
        let end = Date(timeIntervalSince1970: 4_000_000_000)
        let ours = Reservation(reason: "trademark", owner: nil, until: end)
        _ = try await registry.reserve("Acme", ours)
        _ = try await registry.perform(
            Assign("acme", to: owner("one"), Cause(by: Cause.Actor("test", .admin), reason: "their papers")))
        #expect(try await undo("acme", in: registry).map(\.kind) == [.done])
        let record = try #require(try await record("acme", in: registry))
        #expect(record.state == .reserved && record.reason == "trademark" && record.until == end)
        #expect(record.owner == nil && record.display.description == "Acme")
        #expect(try await registry.claim("acrne", for: owner("two")).kind == .refused(.lookalike))
    }

    @Test func claimOfAPromisedNameIsReservedForItsOwnerAgain() async throws {
        let registry = try await freshRegistry()
        let one = try owner("one")
        _ = try await registry.reserve("acme", Reservation(reason: "promised", owner: one))
        _ = try await registry.claim("acme", for: one)
        #expect(try await undo("acme", in: registry).map(\.kind) == [.done])
        let record = try #require(try await record("acme", in: registry))
        #expect(record.state == .reserved && record.owner == one && record.reason == "promised")
        #expect(try await registry.claim("acme", for: one).kind == .done)
    }

    /// The registry never knew more of this owner than the reservation.
    @Test func nameOfAnOwnerWithoutAnIDStaysAsItIs() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "promised", owner: owner("gone")))
        _ = try await registry.claim("johndoe", for: owner("gone"))
        for name in ["acme", "johndoe"] { _ = try await registry.perform(Assign(name, to: owner("one"), cause)) }
        _ = try await registry.forget(owner("gone"), cause)
        let before = try await lines(registry)
        #expect(try await undo("acme", "johndoe", in: registry).map(\.kind) == [.changed, .changed])
        #expect(try await lines(registry) == before)
        #expect(try await registry.number("SELECT count(*) FROM owners WHERE id = 'gone'") == 0)
    }

    @Test func nameThatHasChangedSinceStaysAsItIs() async throws {
        let registry = try await freshRegistry()
        let one = try owner("one")
        for name in ["claimed_one", "freed_one", "kept_one"] { _ = try await registry.claim(name, for: one) }
        let changes = try await changes(of: ["claimed_one", "freed_one", "kept_one"], in: registry)
        _ = try await registry.recase(try #require(DisplayHandle("CLAIMED_ONE")))
        _ = try await registry.perform(Release(handle("freed_one"), atOnce: true, cause))
        let undone = try await BulkUndo(registry, cause).undo(changes + changes)
        let never: ChangeOutcome.Kind = .notReserved(nil)
        #expect(undone.map(\.kind) == [.changed, never, .done, .changed, never, .already])
        #expect(try await record("claimed_one", in: registry)?.owner == one)
    }

    /// Look-alikes of a name in use that was reserved are refused, but not after an undo.
    @Test func undoneReservationLeavesNoProtection() async throws {
        let registry = try await freshRegistry()
        let one = try owner("one")
        for (name, reservation) in [("johndoe", nil), ("acme", Reservation(reason: "promised", owner: one))] {
            if let reservation { _ = try await registry.reserve(name, reservation) }
            _ = try await registry.claim(name, for: one)
        }
        try await Loss.reserved.take("johndoe", from: one, in: registry)
        try await Loss.freed.take("acme", from: one, in: registry)
        #expect(try await registry.claim("j0hndoe", for: owner("two")).kind == .refused(.lookalike))
        #expect(try await undo("johndoe", "acme", in: registry).map(\.kind) == [.done, .done])
        #expect(try await registry.claim("j0hndoe", for: owner("two")).kind == .done)
        // This one was reserved when its owner claimed it.
        #expect(try await registry.claim("acrne", for: owner("two")).kind == .refused(.lookalike))
    }

    /// A look-alike that came meanwhile does not keep the owner from its name.
    @Test(arguments: Policy.Lookalikes.allCases)
    func freedNameIsGivenBackInSpiteOfALookalike(_ lookalikes: Policy.Lookalikes) async throws {
        let registry = try await freshRegistry { $0.lookalikes = lookalikes }
        let one = try owner("one")
        _ = try await registry.claim("acme", for: one)
        try await Loss.freed.take("acme", from: one, in: registry)
        let changes = try await changes(of: ["acme"], in: registry)
        _ = try await registry.reserve("acrne", Reservation(reason: "ours"))
        #expect(try await BulkUndo(registry, cause).undo(changes).map(\.kind) == [.done])
        let record = try #require(try await record("acme", in: registry))
        #expect(record.owner == one && record.isExempt)
    }

    @Test(arguments: [["old_name", "later_name"], ["later_name", "old_name"], ["old_name"], ["later_name"]])
    func bothNamesOfARenameArePutBack(_ names: [String]) async throws {
        for reason in [nil, "impersonation"] {
            let registry = try await freshRegistry(policy: Policy())
            let one = try owner("one")
            _ = try await registry.claim("old_name", for: one)
            let before = try await states(registry)
            _ = try await registry.perform(
                Rename(handle("old_name"), to: "later_name", for: one, takingBecause: reason, cause))
            let changes = try await changes(of: names, in: registry)
            #expect(try await BulkUndo(registry, cause).undo(changes).map(\.kind) == names.map { _ in .done })
            #expect(try await states(registry) == before)
        }
    }

    /// Otherwise its owner would be left without a name, or with two.
    @Test(arguments: ["old_name", "later_name"])
    func renameOfWhichOneNameHasChangedStays(_ changed: String) async throws {
        let registry = try await freshRegistry(policy: Policy())
        let one = try owner("one")
        _ = try await registry.claim("old_name", for: one)
        _ = try await registry.rename(handle("old_name"), to: "later_name", for: one)
        let changes = try await changes(of: ["old_name", "later_name"], in: registry)
        _ = try await registry.perform(Assign(changed, to: owner("two"), cause))
        #expect(try await BulkUndo(registry, cause).undo(changes).map(\.kind) == [.changed, .changed])
        #expect(try await record("old_name", in: registry)?.state == (changed == "old_name" ? .claimed : .quarantined))
    }

    /// Each name is in one of the states before, and then changed in one of the ways.
    @Test func undoRestoresTheStatesBeforeManyChanges() async throws {
        let registry = try await freshRegistry { $0.keptNames = 0 }
        let names = (0..<60).map { distinctName($0) }
        for (index, name) in names.enumerated() {
            let owner = try owner("owner-\(index % 7)")
            if index % 4 == 1 { _ = try await registry.reserve(name, Reservation(reason: "promised", owner: owner)) }
            if index % 4 == 2 { _ = try await registry.reserve(name, Reservation(reason: "ours")) }
            if index % 4 != 2 { _ = try await registry.claim(name, for: owner) }
            if index % 4 == 3 { try await registry.release(handle(name)) }
        }
        let before = try await states(registry)
        let versions = try await registry.lookUp(names.map { try handle($0) }).mapValues(\.version)
        for (index, name) in names.enumerated() {
            try await Loss.allCases[index / 4 % Loss.allCases.count]
                .take(name, from: owner("owner-\(index % 7)"), in: registry)
        }
        #expect(try await states(registry) != before)
        let records = try await registry.lookUp(names.map { try handle($0) })
        // Without the names that could not be changed.
        let changes = records.values.filter { versions[$0.handle] != $0.version }.map { ($0.handle, $0.change) }
        let undone = try await BulkUndo(registry, cause).undo(changes)
        #expect(undone.count > 40 && undone.allSatisfy(\.isDone))
        #expect(try await states(registry) == before)
    }

    @Test func bulkClaimNotesWhatItMayClaim() async throws {
        let registry = try await freshRegistry()
        let (one, two) = (try owner("one"), try owner("two"))
        _ = try await registry.claim("taken_one", for: two)
        _ = try await registry.claim("mine_mine", for: one)
        let noted = NIOLockedValueBox<[(handle: Handle, change: Int64)]>([])
        let bulk = BulkClaim(registry) { names in noted.withLockedValue { $0 += names } }
        let claims = ["taken_one", "mine_mine", "free_one", "adm1n"].map { Claim($0, for: one, cause) }
        #expect(
            await bulk.claim(claims).outcomes.map(\.?.kind)
                == [.refused(.taken), .already, .done, .refused(.reservedWord)])
        let names = noted.withLockedValue(\.self)
        #expect(names.map(\.handle.description) == ["free_one"])
        #expect(try await BulkUndo(registry, cause).undo(names).map(\.kind) == [.done])
        #expect(try await record("free_one", in: registry) == nil)
    }

    /// The second rename needs the first one.
    @Test(arguments: [false, true]) func changesOfTheSameNamesAreMadeOneAfterTheOther(_ isDryRun: Bool) async throws {
        let registry = try await freshRegistry(policy: Policy())
        let one = try owner("one")
        _ = try await registry.claim("first_name", for: one)
        let noted = NIOLockedValueBox<[String]>([])
        let bulk = BulkChange(registry, isDryRun: isDryRun) { names in
            noted.withLockedValue { $0 += names.map(\.handle.description) }
        }
        let renames = try [("first_name", "second_name"), ("second_name", "third_name"), ("nobodys", "fourth_name")]
            .map { Rename(try handle($0), to: $1, for: one, cause) }
        #expect(await bulk.make(renames).outcomes.map(\.?.kind) == [.done, .done, .notClaimed])
        let names = noted.withLockedValue(\.self)
        #expect(names == (isDryRun ? [] : ["first_name", "second_name", "second_name", "third_name"]))
        #expect(try await record("third_name", in: registry)?.owner == (isDryRun ? nil : one))
    }
}
