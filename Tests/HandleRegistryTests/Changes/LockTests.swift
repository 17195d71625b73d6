import Foundation
import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct LockTests {
    private let cause = Cause(by: Cause.Actor("moderator", .admin), reason: "impersonates a shop")

    /// A locked owner with one name claimed and one in quarantine.
    private func locked(_ one: Owner, until: Date? = nil) async throws -> Registry {
        let registry = try await freshRegistry { $0.keptNames = 0 }
        for name in ["first_name", "second_name"] { _ = try await registry.claim(name, for: one) }
        try await registry.release(handle("second_name"))
        #expect(try await registry.lock(one, until: until, cause).isNew)
        return registry
    }

    private func attempts(by one: Owner, _ registry: Registry) async throws -> [ChangeOutcome.Kind] {
        let own = Registry.cause(of: one)
        let changes: [any Change<ChangeOutcome>] = [
            Claim("third_name", for: one, own), Claim("second_name", for: one, own), Hold("third_name", for: one, own),
            Rename(try handle("first_name"), to: "third_name", for: one, own),
            Rename(try handle("first_name"), to: "second_name", for: one, own),
            Rename(try handle("first_name"), to: "First_Name", for: one, own),
            Recase(try #require(DisplayHandle("First_Name")), own), Offer(try handle("first_name"), by: one, own),
            Release(try handle("first_name"), own),
        ]
        var kinds: [ChangeOutcome.Kind] = []
        for change in changes { kinds.append(try await registry.perform(change).kind) }
        return kinds
    }

    @Test func lockedOwnerCanChangeNothing() async throws {
        let one = try owner("one")
        let registry = try await locked(one)
        let kinds = try await attempts(by: one, registry)
        #expect(kinds == Array(repeating: .refused(.ownerLocked), count: 5) + Array(repeating: .locked, count: 4))
        #expect(
            try await registry.availability(of: "third_name", for: one).decision.reasons == [.ownerLocked(until: nil)])
        // Others, and the claims of another owner, are as before.
        #expect(try await registry.claim("third_name", for: owner("two")).kind == .done)
        // Moderators can change its names, and a deletion is always possible.
        #expect(try await registry.rename(handle("first_name"), to: "fourth_name", for: one).kind == .done)
        #expect(try await registry.forget(one, cause)?.map(\.handle.description) == ["fourth_name"])
        // The lock stays, so coming back is no way out.
        #expect(try await registry.lock(of: one)?.reason == "impersonates a shop")
        let again = try await registry.perform(Claim("fifth_name", for: one, Registry.cause(of: one)))
        #expect(again.kind == .refused(.ownerLocked))
    }

    @Test func lockEndsAtItsTimeOrWhenItIsEnded() async throws {
        let one = try owner("one")
        let own = Registry.cause(of: one)
        let end = Date.now + 3600
        let registry = try await locked(one, until: end)
        let decision = try await registry.availability(of: "third_name", for: one).decision
        #expect(decision.reasons == [.ownerLocked(until: Int64(end.timeIntervalSince1970.rounded(.up)))])
        _ = try await registry.lock(one, until: .now + 0.05, cause)
        while try await registry.lock(of: one) != nil { await Task.yield() }
        #expect(try await registry.perform(Claim("third_name", for: one, own)).kind == .done)
        #expect(try await registry.unlock(one, cause) == nil)
        #expect(try await registry.lock(one, until: nil, cause).lock.version == 3)
        #expect(try await registry.unlock(one, cause)?.action == .unlocked)
        #expect(try await registry.unlock(one, cause) == nil)
        #expect(try await registry.perform(Claim("fourth_name", for: one, own)).kind == .done)
    }

    @Test func lockIsRepeatedListedAndVerified() async throws {
        let registry = try await freshRegistry()
        let (one, two) = (try owner("one"), try owner("two"))
        let end = Date.now + 86400
        let first = try await registry.lock(one, until: end, cause)
        let other = Cause(by: Cause.Actor("another", .admin), reason: cause.reason)
        let again = try await registry.lock(one, until: end, other)
        #expect(first.isNew && !again.isNew && again.lock.isSame(as: first.lock) && again.lock.actor == "moderator")
        #expect(try await registry.lock(one, until: nil, cause).lock.version == 2)
        _ = try await registry.lock(two, until: nil, cause)
        _ = try await registry.unlock(two, cause)
        #expect(try await registry.unlock(owner("never-seen"), cause) == nil)
        var locks: [OwnerEvent] = []
        try await registry.locks { locks += $0 }
        #expect(locks.map(\.owner) == [one] && locks.map(\.until) == [nil])
        #expect(try await discrepancies(registry) == [])
    }

    /// The owner's changes and the lock come one after the other: what is changed after the lock is refused.
    @Test func lockAndChangesOfTheOwnerDoNotOverlap() async throws {
        let registry = try await freshRegistry()
        for round in 0..<20 {
            let one = try owner("owner-\(round)")
            let own = Registry.cause(of: one)
            async let claimed = race(8) { try await registry.perform(Claim("name_\(round)_\($0)", for: one, own)).kind }
            _ = try await registry.lock(one, until: nil, cause)
            let records = try await registry.records(of: one)
            #expect(Set(try await claimed).isSubset(of: [.done, .refused(.ownerLocked)]))
            #expect(try await registry.records(of: one) == records)
        }
    }
}
