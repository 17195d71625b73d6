import HandleRules
import HandleWords
import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

/// The rows that the writer locks, and the traces that they may leave.
@Suite(.consistent) struct WriterLockTests {
    /// The locks of a batch insert rows for claims that may be refused.
    @Test func refusedClaimLeavesNoRows() async throws {
        let registry = try await freshRegistry { $0.perOwner = 1 }
        _ = try await registry.claim("first_name", for: owner("one"))
        let claims = try [("first_name", "refused"), ("full_up_x", "one"), ("second_name", "two")].map {
            Claim($0, for: try owner($1), Registry.testCause)
        }
        let kinds = try await registry.writes.write(claims).map(\.kind)
        #expect(kinds == [.refused(.taken), .refused(.ownerFull), .done])
        #expect(try await registry.number("SELECT count(*) FROM owners WHERE id = 'refused'") == 0)
        #expect(try await registry.number("SELECT count(*) FROM names WHERE handle = 'full_up_x'") == 0)
    }

    /// The second claim must not take the first one, which is refused, for a name in use.
    @Test func refusedClaimIsNoObstacleToALookalike() async throws {
        let registry = try await freshRegistry { ($0.perOwner, $0.lookalikes) = (1, .strict) }
        _ = try await registry.claim("first_name", for: owner("one"))
        let claims = try [("john_doe", "one"), ("johndoe", "two")].map {
            Claim($0, for: try owner($1), Registry.testCause)
        }
        let kinds = try await registry.writes.write(claims).map(\.kind)
        #expect(kinds == [.refused(.ownerFull), .done])
    }

    /// A claim that is refused from its second plan on, as if another session had taken the name in between.
    private struct FickleClaim: Change {
        let claim: Claim
        let isFickle: Bool
        private let plans = NIOLockedValueBox(0)
        var number: Int64 { claim.number }

        init(_ name: String, for owner: Owner, isFickle: Bool = false) {
            claim = Claim(name, for: owner, Registry.testCause)
            self.isFickle = isFickle
        }

        func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
            claim.add(to: &touches, record, scope)
        }

        func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
            let planned = plans.withLockedValue { plans in
                plans += 1
                return plans
            }
            return isFickle && planned > 1 ? .refuse(.refused(.notClaimed)) : claim.plan(in: &rows)
        }
    }

    /// The second claim is refused because of the first one, which is not made in the end. So it must be made.
    @Test func refusalThatRestsOnAnUncommittedClaimIsDecidedAgain() async throws {
        let registry = try await freshRegistry { $0.perOwner = 1 }
        let one = try owner("one")
        let claims = [FickleClaim("first_name", for: one, isFickle: true), FickleClaim("other_name", for: one)]
        let kinds = try await registry.writes.write(claims).map(\.kind)
        #expect(kinds == [.notClaimed, .done])
        #expect(try await registry.records(of: one).map(\.handle.description) == ["other_name"])
    }

    /// Changes when a transaction has written a row.
    private static let keyWrites = "SELECT coalesce(sum(xmin::text::bigint), 0)::bigint FROM names"
    private static let owners = "SELECT count(id) FROM owners"

    /// A stranger's repeated refusals must not write rows of the name or of its owner.
    @Test func refusalThatALookupShowsWritesNothing() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let (before, stranger) = (try await registry.number(Self.keyWrites), try owner("two"))
        let cause = Cause(by: Cause.Actor("person", .owner(stranger)))
        #expect(try await registry.perform(Release(handle("johndoe"), cause)).kind == .notOwner)
        #expect(try await registry.perform(Release(handle("free_name"), cause)).kind == .notClaimed)
        let recase = Recase(try #require(DisplayHandle("JohnDoe")), cause)
        #expect(try await registry.perform(recase).kind == .notOwner)
        #expect(try await registry.claim("admin", for: stranger).kind == .refused(.reservedWord))
        #expect(try await registry.number(Self.keyWrites) == before)
        #expect(try await registry.number(Self.owners) == 1)
    }

    /// A rename that was made before names an old handle that the caller has made up.
    @Test func repeatedRenameLeavesNoRows() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        #expect(try await registry.rename(handle("made_up"), to: "JohnDoe", for: owner("one")).kind == .already)
        #expect(try await registry.number("SELECT count(*) FROM names") == 1)
    }

    /// A release with a look-up from before the owner was forgotten.
    private struct LateRelease: Change {
        let inner: Release
        let stale: Record
        let lookUps = NIOLockedValueBox(0)
        var number: Int64 { inner.number }
        func lookedUp(_ scope: Scope) -> Handle? { inner.handle }
        func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
            let isFirst = lookUps.withLockedValue { count in
                count += 1
                return count == 1
            }
            inner.add(to: &touches, isFirst ? stale : record, scope)
        }
        func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> { inner.plan(in: &rows) }
    }

    /// A release after the owner that it found was forgotten stores the id of no owner.
    @Test(arguments: [true, false]) func releaseAfterItsOwnerWasForgottenStoresNoID(isReserved: Bool) async throws {
        let registry = try await freshRegistry()
        let one = try owner("one")
        let taken = try await isReserved ? registry.hold("johndoe", for: one) : registry.claim("johndoe", for: one)
        let record = try #require(taken.record)
        #expect(try await registry.forget(owner("one"), Registry.testCause) != nil)
        if isReserved { _ = try await registry.reserve("johndoe", Reservation(reason: "test")) }
        let release = LateRelease(inner: Release(record.handle, Registry.testCause), stale: record)
        #expect(try await registry.perform(release).kind == (isReserved ? .done : .already))
        #expect(try await registry.number(Self.owners) == 0)
    }

    /// The handle has another owner than at the look-up.
    @Test func releaseLocksTheOwnerThatHasTheHandleNow() async throws {
        let registry = try await freshRegistry()
        let record = try #require(try await registry.hold("johndoe", for: owner("one")).record)
        try await registry.release(record.handle)
        _ = try await registry.claim("johndoe", for: owner("two"))
        let release = LateRelease(inner: Release(record.handle, Registry.testCause), stale: record)
        #expect(try await registry.perform(release).kind == .done)
        #expect(release.lookUps.withLockedValue(\.self) == 2)
    }

    /// A record that changes while its lock is awaited is read afterwards.
    @Test func changeThatWaitsForARecordContinuesItsHistory() async throws {
        let registry = try await freshRegistry()
        let record = try #require(try await registry.claim("johndoe", for: owner("one")).record)
        let stored = try #require(try await registry.pool.run(LookupStored(keys: [LookalikeKey(record.handle)])).first)
        let recased = Record(
            display: try #require(DisplayHandle("JohnDoe")), state: .claimed, owner: record.owner, former: nil,
            hold: nil, reason: nil, version: 2, change: newChange(), until: nil, changedAt: record.changedAt,
            place: 0, protection: nil, isExempt: false, hasLapsed: false)
        let mark = try await registry.writes.scope().mark(of: owner("one"))
        let event = Event(
            version: 2, at: record.changedAt, actor: "test", action: .recased, from: .claimed, to: .claimed,
            display: recased.display, owner: mark, reason: nil, related: nil, until: nil)
        let deadline = ContinuousClock.now + .seconds(120)
        let other = try await Connection.open(registry.database, until: deadline)
        try await other.run(script: "BEGIN", until: deadline)
        let chained = ChainedEvent(event, after: stored.lastHash)
        _ = try await other.run(PutName(name: StoredName(record: recased, lastHash: chained.hash)), until: deadline)
        _ = try await other.run(AppendEvent(event: chained), until: deadline)
        async let released = registry.release(handle("johndoe"))
        try await eventually("the release waits for the record") { try await registry.waitingForLocks() == 1 }
        try await other.run(script: "COMMIT", until: deadline)
        await other.close()
        #expect(try await released.record?.version == 3)
    }

    @Test func holdMayMoveToALookalikeUnderTheStrictPolicy() async throws {
        let registry = try await freshRegistry { $0.lookalikes = .strict }
        _ = try await registry.hold("oscar_f", for: owner("one"))
        #expect(try await registry.hold("oscarf", for: owner("two")).kind == .refused(.lookalike))
        #expect(try await registry.hold("oscarf", for: owner("one")).kind == .done)
        #expect(try await registry.history(of: handle("oscar_f")).map(\.action) == [.held, .moved])
    }

    /// A name that has an event and no record can't be written. The claims that share its batch can.
    @Test(.timeLimit(.minutes(5)), .tags(.damaging)) func damagedNameFailsOnlyItsOwnClaims() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("damaged_d", for: owner("one"))
        try await registry.execute("DELETE FROM names; DELETE FROM owners")
        let claims = try (0..<8).map { Claim(distinctName($0), for: try owner("owner-\($0)"), Registry.testCause) }
        let damaged = Claim("damaged_d", for: try owner("one"), Registry.testCause)
        var error = await #expect(throws: PostgresError.self) {
            try await registry.writes.write(claims + [damaged], waitingShortly: true)
        }
        #expect(error?.isOfContention == true)
        async let made = race(claims.count) { try await registry.perform(claims[$0]).kind }
        error = await #expect(throws: PostgresError.self) { try await registry.perform(damaged) }
        #expect(error?.code == .overloaded)
        #expect(try await made.counts == [.done: 8])
    }

    @Test func claimsThatWereMadeBeforeAreConfirmedTogether() async throws {
        let registry = try await freshRegistry()
        let claims = try (0..<5).map { Claim(distinctName($0), for: try owner("owner-\($0)"), Registry.testCause) }
        _ = try await registry.writes.write(Array(claims[..<3]))
        // The same values again: three find their own number, two are new.
        #expect(try await registry.writes.write(claims).map(\.kind) == [ChangeOutcome.Kind](repeating: .done, count: 5))
        let again = claims.map { Claim($0.reading.handle?.description ?? "", for: $0.owner, Registry.testCause) }
        #expect(
            try await registry.writes.write(again).map(\.kind) == [ChangeOutcome.Kind](repeating: .already, count: 5))
    }

    /// A write of a version that another session has written already fails, and the batch plans again.
    @Test(.tags(.damaging)) func batchPlansAgainWhenARecordHasChanged() async throws {
        let registry = try await freshRegistry()
        for name in ["first_name", "second_name"] {
            _ = try await registry.hold(name, for: owner("one"))
            try await registry.release(handle(name))
        }
        let other = try await LockingSession(
            "UPDATE names SET version = version + 1 WHERE handle = 'second_name'", on: registry.database)
        let claims = try zip(["first_name", "second_name"], ["one", "two"]).map {
            Claim($0, for: try owner($1), Registry.testCause)
        }
        async let outcomes = registry.writes.write(claims)
        try await eventually("the batch waits for the record") { try await registry.waitingForLocks() == 1 }
        try await other.letGo()
        #expect(try await outcomes.map(\.record?.version) == [3, 4])
        #expect(try await registry.history(of: handle("first_name")).map(\.action) == [.held, .released, .claimed])
    }

    @Test func versionThatExistsAlreadyIsRefusedByItsRecordAndByItsEvent() async throws {
        let registry = try await freshRegistry()
        let record = try #require(try await registry.claim("johndoe", for: owner("one")).record)
        let event = Event(
            version: record.version, at: record.changedAt, actor: "test", action: .claimed, from: .free, to: .claimed,
            display: record.display, owner: nil, reason: nil, related: nil, until: nil)
        let name = StoredName(record: record, lastHash: [])
        let statements: [any Statement] = [
            PutName(name: name), PutNames(names: [name]), AppendEvent(event: ChainedEvent(event, after: nil)),
        ]
        for statement in statements {
            let error = await #expect(throws: PostgresError.self) { try await registry.pool.run(statement) }
            #expect(error?.isOfChangedName == true)
        }
        #expect(try await registry.record(of: handle("johndoe"))?.version == record.version)
        // Citus may leave out the name of the constraint.
        for state in ["23505", "23514"] {
            #expect(PostgresError(.refused, "", sqlState: state).isOfChangedName)
            #expect(!PostgresError(.refused, "", sqlState: state, constraint: "another").isOfChangedName)
        }
    }
}
