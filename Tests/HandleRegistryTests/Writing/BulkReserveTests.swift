import Foundation
import HandleRules
import HandleWords
import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct BulkReserveTests {
    private static func names(_ texts: [String], _ reservation: Reservation) throws -> [NameToReserve] {
        try texts.map { NameToReserve(try #require(DisplayHandle($0)), reservation) }
    }

    /// Names of which many look alike; the seed determines names and order.
    private static func mixture(_ seed: UInt64, count: Int) -> [String] {
        var random = SeededGenerator(seed: seed)
        var names: Set<String> = []
        var list: [String] = []
        while list.count < count {
            let stem = String((0..<3).map { _ in "abcdeknst".randomElement(using: &random) ?? "a" })
            let name = stem + ["", "1", "l", "_1", "rn", "m", "o", "0", "77"][Int.random(in: 0..<9, using: &random)]
            if names.insert(name).inserted, Handle(name) != nil { list.append(name) }
        }
        return list
    }

    /// Puts the names into all states, in turn.
    private func fill(_ registry: Registry, _ names: [String]) async throws {
        for (index, name) in names.enumerated() {
            let someone = try owner("someone-\(index)")
            switch index % 6 {
            case 0: _ = try await registry.claim(name, for: someone)
            case 1: _ = try await registry.hold(name, for: someone)
            case 2: _ = try await registry.reserve(name, Reservation(reason: "before"))
            case 3:
                if try await registry.claim(name, for: someone).kind == .done {
                    try await registry.release(handle(name))
                }
            case 4:
                if try await registry.reserve(name, Reservation(reason: "before")).kind == .done {
                    try await registry.release(handle(name))
                }
            default:
                if try await registry.reserve(name, Reservation(reason: "promised", owner: someone)).kind == .done {
                    _ = try await registry.claim(name, for: someone)
                }
            }
        }
    }

    @Test(arguments: [(1, false), (2, false), (3, true), (4, true)])
    func bulkReserveHasTheResultOfReservingOneByOne(_ seed: UInt64, _ allowsLookalikes: Bool) async throws {
        let (bulk, single) = (try await freshRegistry(), try await freshRegistry())
        let names = Self.mixture(seed, count: 600)
        let before = Self.mixture(seed + 100, count: 200)
        for registry in [bulk, single] { try await fill(registry, before) }
        let reservation = Reservation(reason: "ours", owner: try owner("us"))
        let together = try await BulkReserve(bulk, allowingLookalikes: allowsLookalikes, actor: "test")
            .reserve(Self.names(names, reservation))
        var alone: [ChangeOutcome.Kind] = []
        for name in names {
            alone.append(try await single.reserve(name, reservation, allowingLookalike: allowsLookalikes).kind)
        }
        #expect(together.map(\.outcome.kind) == alone)
        #expect(Set(alone).count >= (allowsLookalikes ? 3 : 4))
        let (left, right) = (try await states(bulk), try await states(single))
        #expect(left == right)
    }

    /// The lines of the archive without times and hashes.
    private func states(_ registry: Registry) async throws -> [String] {
        try await lines(registry).map { line in
            line.replacing(#/"(since|until|sha256)":"[^"]*"/#, with: "")
        }
    }

    /// Rows of names with the same reservation are made by a template.
    @Test func copiedRowsAreThoseOfTheNames() async throws {
        let registry = try await freshRegistry()
        let odd = "quo\"tes' and \\backslashes\\ / <script>&amp; 👩‍👩‍👧 ünïcode ﷽ \u{200B}zero\u{202E}width\u{FEFF}"
        let reservations = [
            Reservation(reason: odd), Reservation(reason: odd, owner: try owner("org \"1\" \\ é")),
            Reservation(reason: odd, until: Date(timeIntervalSince1970: 4_000_000_000)),
            Reservation(reason: "long " + String(repeating: "é", count: 3000)),
        ]
        // Names alone, two and many in a row, with and without capitals, of all lengths.
        let names = try (0..<600).map { index in
            let text = String("Ab9_\(index)_name_of_ours".prefix(8 + index % 8))
            let place = index % 100 < 8 ? index % 4 : index % 100 / 25
            return NameToReserve(try #require(DisplayHandle(text)), reservations[place])
        }
        let outcomes = try await BulkReserve(registry, actor: "cli:\"né\\\"").reserve(names)
        #expect(outcomes.allSatisfy { $0.outcome.kind == .done })
        for name in names {
            let record = try #require(try await registry.record(of: name.handle))
            #expect(record.display == name.display && record.reason == name.reservation.reason)
            #expect(record.owner == name.reservation.owner && record.until == name.reservation.until)
        }
        #expect(try await outcomes.first?.outcome.record == registry.record(of: names[0].handle))
        for name in names.prefix(110) {
            let event = try #require(try await registry.history(of: name.handle).first)
            #expect(event.display == name.display && event.reason == name.reservation.reason)
            #expect(event.ownerID == name.reservation.owner && event.until == name.reservation.until)
        }
    }

    /// A COPY that fails leaves its rows in the tables until a vacuum. After the first one, names are looked up before.
    @Test func copyFailsOnceForNamesThatAreKnown() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve(distinctName(1), Reservation(reason: "before"))
        _ = try await registry.reserve(distinctName(2), Reservation(reason: "before"))
        let noted = NIOLockedValueBox<[Int]>([])
        let bulk = BulkReserve(registry, actor: "test") { names, _ in noted.withLockedValue { $0.append(names.count) } }
        for names in [[100..<200], [1..<2, 200..<299], [300..<400], [2..<3, 400..<499]] {
            let names = try Self.names(names.joined().map { distinctName($0) }, Reservation(reason: "ours"))
            _ = try await bulk.reserve(names)
        }
        #expect(noted.withLockedValue(\.self) == [100, 100, 99, 100, 99])
    }

    @Test func racingBulkReservesAndClaimsGiveEachNameToOneWinner() async throws {
        let registry = try await freshRegistry()
        let names = (0..<400).map { distinctName($0) }
        let ours = try Self.names(names, Reservation(reason: "ours"))
        let theirs = try Self.names(names.reversed(), Reservation(reason: "theirs"))
        let someone = try owner("someone")
        let (first, second, claimed) = try await withThrowingTaskGroup(of: (Int, [Bool]).self) { group in
            for (index, lot) in [ours, theirs].enumerated() {
                group.addTask {
                    (
                        index,
                        try await BulkReserve(registry, actor: "\(index)").reserve(lot).map { $0.outcome.kind == .done }
                    )
                }
            }
            group.addTask {
                var taken: [Bool] = []
                for name in names { taken.append(try await registry.claim(name, for: someone).kind == .done) }
                return (2, taken)
            }
            let results = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return (results[0] ?? [], Array((results[1] ?? []).reversed()), results[2] ?? [])
        }
        for index in names.indices {
            let winners = [first[index], second[index], claimed[index]].count { $0 }
            #expect(winners == 1, "\(names[index]) has \(winners)")
        }
    }

    @Test func bulkReserveAndUndoRecogniseTheirOwnLostCommits() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        for round in 0..<6 {
            proxy.set(.losesCommits(chance: 0.5))
            // New names, and look-alikes of them, which are written by other statements.
            let new = (0..<100).map { distinctName(100 * round + $0) }
            let names = try Self.names(new + new.map { $0 + "_" }, Reservation(reason: "ours"))
            let reserve = BulkReserve(registry, allowingLookalikes: true, actor: "test")
            var outcomes: [Reserved] = []
            while outcomes.isEmpty {
                do {
                    outcomes = try await reserve.reserve(names)
                } catch let error as PostgresError where error.isTransient {}
            }
            #expect(outcomes.allSatisfy { $0.outcome.kind == .done })
            // The undo recognises its own commit too.
            let change = try #require(try await Registry(pool: patientPool(database)).record(of: names[0].handle))
                .change
            var (undone, wasRepeated): ([ChangeOutcome], Bool) = ([], false)
            while undone.isEmpty {
                do {
                    undone = try await BulkUndo(registry, Registry.testCause).undo(names.map { ($0.handle, change) })
                } catch let error as PostgresError where error.isTransient {
                    wasRepeated = true
                }
            }
            // An earlier undo may have freed the names already, if its reply was lost.
            let isKnown = undone.allSatisfy { $0.kind == .done || (wasRepeated && $0 == .refused(.notReserved(nil))) }
            #expect(isKnown)
            let left = try await Registry(pool: patientPool(database)).lookUp(names.map(\.handle))
            let areFree = left.values.allSatisfy(\.isFree)
            #expect(areFree)
        }
    }

    @Test func bulkUndoRestoresTheStateBeforeTheReservation() async throws {
        let registry = try await freshRegistry()
        try await fill(registry, Self.mixture(7, count: 120))
        let before = try await lines(registry)
        let noted = Noted()
        let reserve = BulkReserve(registry, allowingLookalikes: true, actor: "test") { noted.add($0, $1) }
        // Once with new names, once with names that have a row and are free.
        for _ in 0..<2 {
            let names = try Self.names(Self.mixture(8, count: 700), Reservation(reason: "by mistake"))
            let outcomes = try await reserve.reserve(names)
            #expect(outcomes.count { $0.outcome.kind == .done } > 400)
            #expect(try await lines(registry) != before)
            let undo = BulkUndo(registry, Registry.testCause)
            // Look-alikes of names of one call are in other calls.
            let (reserved, dryRun) = (try await lines(registry), BulkUndo(registry, Registry.testCause, isDryRun: true))
            var planned: [ChangeOutcome] = []
            let all = noted.all
            for start in stride(from: 0, to: all.count, by: 50) {
                planned += try await dryRun.undo(Array(all[start...].prefix(50)))
            }
            #expect(try await lines(registry) == reserved)
            let undone = try await undo.undo(all)
            #expect(planned.map { $0.kind == .done } == undone.map { $0.kind == .done })
            #expect(undone.count { $0.kind == .done } > 400)
            #expect(try await lines(registry) == before)
            let again = try await undo.undo(noted.all)
            #expect(again.allSatisfy { $0.record == nil })
        }
    }

    @Test func bulkUndoSkipsNamesThatHaveChangedSince() async throws {
        let registry = try await freshRegistry()
        let noted = Noted()
        let someone = try owner("someone")
        let reserve = BulkReserve(registry, actor: "test") { noted.add($0, $1) }
        _ = try await reserve.reserve(
            Self.names(["claimed_one", "stays_same", "other_run"], Reservation(reason: "x", owner: someone)))
        _ = try await registry.claim("claimed_one", for: someone)
        try await registry.release(handle("other_run"))
        _ = try await registry.reserve("other_run", Reservation(reason: "again"))
        var outcomes: [Handle: ChangeOutcome] = [:]
        for (name, outcome) in zip(noted.all, try await BulkUndo(registry, Registry.testCause).undo(noted.all)) {
            outcomes[name.handle] = outcome
        }
        let claimed = try #require(try await registry.record(of: handle("claimed_one")))
        #expect(claimed.state == .claimed && claimed.owner == someone)
        #expect(outcomes[claimed.handle] == .refused(.changed(claimed)))
        let reserved = try #require(try await registry.record(of: handle("other_run")))
        #expect(reserved.reason == "again" && outcomes[reserved.handle] == .refused(.notReserved(reserved)))
        #expect(outcomes[try handle("stays_same")]?.kind == .done)
    }
}

/// The reservations that were noted for an undo.
private final class Noted: Sendable {
    private let names = NIOLockedValueBox<[(handle: Handle, change: Int64)]>([])
    var all: [(handle: Handle, change: Int64)] { names.withLockedValue(\.self) }
    func add(_ handles: [Handle], _ change: Int64) {
        names.withLockedValue { $0 += handles.map { ($0, change) } }
    }
}
