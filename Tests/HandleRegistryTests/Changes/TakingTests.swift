import HandleRegistry
import HandleRules
import TestSupport
import Testing

/// Changes by which a moderator takes a name from its owner.
@Suite(.consistent) struct TakingTests {
    private let moderator = Cause(by: Cause.Actor("moderator", .admin), reason: "impersonation")

    @Test func reservedNameIsTakenForGood() async throws {
        let registry = try await freshRegistry(policy: Policy())
        let offender = try owner("offender")
        _ = try await registry.claim("acme_help", for: offender)
        let reservation = Reservation(reason: "impersonation")
        #expect(try await registry.reserve("acme_help", reservation).kind == .refused(.taken))
        #expect(try await registry.reserve("acme_help", reservation, taking: true).kind == .done)
        #expect(try await registry.reserve("acme_help", reservation, taking: true).kind == .already)
        #expect(try await registry.claim("acme_help", for: offender).kind == .refused(.taken))
        #expect(try await registry.claim("acme_he1p", for: offender).kind == .refused(.lookalike))
        #expect(try await registry.claim("other_name", for: offender).kind == .done)
        let history = try await registry.history(of: handle("acme_help"))
        #expect(history.map(\.from) == [.free, .claimed] && history.last?.reason == "impersonation")
        // Given to its real owner, it stays protected.
        #expect(try await registry.perform(Assign("acme_help", to: owner("acme"), moderator)).kind == .done)
        #expect(try await registry.claim("acme_he1p", for: owner("two")).kind == .refused(.lookalike))
    }

    @Test func forcedRenameHasNoWayBack() async throws {
        let registry = try await freshRegistry(policy: Policy())
        let offender = try owner("offender")
        _ = try await registry.claim("name_0x", for: offender)
        for number in 1...3 {
            _ = try await registry.rename(handle("name_\(number - 1)x"), to: "name_\(number)x", for: offender)
        }
        // It gives nothing into quarantine, so that limit does not stop it.
        let forced = try await registry.perform(
            Rename(handle("name_3x"), to: "renamed_1", for: offender, takingBecause: "impersonation", moderator))
        #expect(forced.kind == .done)
        let kept = try #require(try await registry.record(of: handle("name_3x")))
        #expect(kept.state == .reserved && kept.reason == "impersonation" && kept.owner == nil)
        let own = Registry.cause(of: offender)
        let back = try await registry.perform(Rename(handle("renamed_1"), to: "name_3x", for: offender, own))
        #expect(back.kind == .refused(.taken, .tooManyChanges))
    }

    @Test func nameIsFreedAtOnceOnlyByAnAdmin() async throws {
        let registry = try await freshRegistry()
        let one = try owner("one")
        for name in ["first_name", "second_name"] { _ = try await registry.claim(name, for: one) }
        try await registry.release(handle("second_name"))
        for name in ["first_name", "second_name"] {
            for cause in [Registry.cause(of: one), Cause(by: Cause.Actor("key", .agent))] {
                #expect(try await registry.perform(Release(handle(name), atOnce: true, cause)).kind == .needsAdmin)
            }
            #expect(try await registry.perform(Release(handle(name), atOnce: true, moderator)).kind == .done)
            #expect(try await registry.perform(Release(handle(name), atOnce: true, moderator)).kind == .notClaimed)
            #expect(try await registry.claim(name, for: owner("two")).kind == .done)
        }
    }

    /// An offender claims, renames and releases without a pause, while a moderator takes its names.
    @Test(.timeLimit(.minutes(5))) func offenderKeepsNoneOfTheNamesThatAModeratorTakes() async throws {
        let registry = try await freshRegistry { $0.keptNames = 0 }
        for round in 0..<40 {
            let offender = try owner("offender-\(round)")
            let own = Registry.cause(of: offender)
            let names = (0..<3).map { "name_\(round)_\($0)" }
            _ = try await registry.claim(names[0], for: offender)
            var expected: [Record] = []
            try await withThrowingTaskGroup(of: [Record]?.self) { group in
                for task in 0..<3 {
                    group.addTask {
                        for step in 0..<4 {
                            let (name, next) = (names[(task + step) % 3], names[(task + step + 1) % 3])
                            _ = try await registry.perform(Claim(name, for: offender, own))
                            _ = try await registry.perform(Rename(handle(name), to: next, for: offender, own))
                            _ = try await registry.perform(Release(handle(next), own))
                        }
                        return nil
                    }
                }
                group.addTask {
                    var locked: [Record]?
                    switch round % 3 {
                    case 0:
                        for name in names { _ = try await registry.perform(Assign(name, to: owner("org"), moderator)) }
                    case 1:
                        for name in names {
                            _ = try await registry.reserve(name, Reservation(reason: "taken"), taking: true)
                        }
                    default:
                        _ = try await registry.lock(offender, until: nil, moderator)
                        locked = try await registry.records(of: offender)
                    }
                    return locked
                }
                // A lock leaves the names as they are.
                for try await names in group { if let names { expected = names } }
            }
            #expect(try await registry.records(of: offender) == expected)
        }
    }
}
