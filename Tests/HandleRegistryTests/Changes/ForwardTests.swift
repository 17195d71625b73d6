import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

/// Old names that lead to their former owner's present one.
@Suite(.consistent) struct ForwardTests {
    private func rename(
        _ registry: Registry, _ old: String, to new: String, for owner: Owner, forward: Bool = true
    ) async throws -> ChangeOutcome {
        try await registry.perform(
            Rename(handle(old), to: new, for: owner, forwarding: forward, Registry.testCause))
    }

    @Test func renamedNameLeadsToTheNewOneIfItsOwnerWishes() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        _ = try await registry.claim("mirko_m", for: owner("bo"))
        _ = try await rename(registry, "hedy_b", to: "Hedy_L", for: owner("ada"))
        _ = try await rename(registry, "mirko_m", to: "mirko_n", for: owner("bo"), forward: false)
        #expect(try await registry.way(of: "hedy_b") == "Hedy_L")
        #expect(try await registry.way(of: "mirko_m") == nil)
        #expect(try await registry.way(of: "hedy_l") == nil)
        #expect(
            try await registry.resolve([handle("hedy_l"), handle("nothing_here")]).map(\.word) == ["found", "none"])
    }

    @Test func everyOldNameLeadsToThePresentOne() async throws {
        let registry = try await freshRegistry(policy: Policy())
        let ada = try owner("ada")
        _ = try await registry.claim("hedy_b", for: ada)
        _ = try await rename(registry, "hedy_b", to: "hedy_c", for: ada)
        _ = try await rename(registry, "hedy_c", to: "hedy_d", for: ada)
        #expect(try await registry.way(of: "hedy_b") == "hedy_d")
        #expect(try await registry.way(of: "hedy_c") == "hedy_d")
        // Released and claimed again: the way is to the owner.
        try await registry.release(handle("hedy_d"))
        #expect(try await registry.way(of: "hedy_b") == nil)
        _ = try await registry.claim("hedy_d", for: ada)
        #expect(try await registry.way(of: "hedy_b") == "hedy_d")
    }

    @Test func ownerWithSeveralNamesIsFollowedFromRenameToRename() async throws {
        let registry = try await freshRegistry { $0.quarantine = .seconds(86_400) }
        let ada = try owner("ada")
        for name in ["hedy_b", "mirko_m", "jorinde"] { _ = try await registry.claim(name, for: ada) }
        _ = try await rename(registry, "hedy_b", to: "hedy_c", for: ada)
        _ = try await rename(registry, "mirko_m", to: "mirko_n", for: ada)
        _ = try await rename(registry, "hedy_c", to: "hedy_d", for: ada, forward: false)
        #expect(try await registry.way(of: "hedy_b") == "hedy_d")
        #expect(try await registry.way(of: "hedy_c") == nil)
        #expect(try await registry.way(of: "mirko_m") == "mirko_n")
        // The new name is given up, and the owner has two others.
        try await registry.release(handle("mirko_n"))
        #expect(try await registry.way(of: "mirko_m") == nil)
    }

    enum Ending: CaseIterable { case owner, admin, claim, otherOwner, assigned, taken, freed, forgotten, undone }

    @Test(arguments: Ending.allCases) func wayEnds(_ ending: Ending) async throws {
        let registry = try await freshRegistry(policy: Policy())
        let (ada, bo) = (try owner("ada"), try owner("bo"))
        _ = try await registry.claim("hedy_b", for: ada)
        _ = try await rename(registry, "hedy_b", to: "hedy_c", for: ada)
        let old = try handle("hedy_b")
        #expect(try await registry.way(of: "hedy_b") == "hedy_c")
        switch ending {
        case .owner: #expect(try await registry.perform(EndForward(old, Registry.cause(of: ada))).isDone)
        case .admin: #expect(try await registry.perform(EndForward(old, Registry.testCause)).isDone)
        case .claim: _ = try await registry.rename(handle("hedy_c"), to: "hedy_b", for: ada)
        case .otherOwner:
            try await registry.execute("UPDATE names SET until = now() - interval '1s' WHERE handle = 'hedy_b'")
            #expect(try await registry.claim("hedy_b", for: bo).isDone)
        case .assigned: #expect(try await registry.perform(Assign("hedy_b", to: bo, Registry.testCause)).isDone)
        case .taken: _ = try await registry.reserve("hedy_b", Reservation(reason: "test"), taking: true)
        case .freed: _ = try await registry.perform(Release(old, atOnce: true, Registry.testCause))
        case .forgotten:
            _ = try #require(try await registry.forget(ada, Registry.testCause))
            // The same owner again, later.
            _ = try await registry.claim("hedy_d", for: ada)
        case .undone:
            let change = try #require(try await registry.record(of: old)).change
            let undone = try await BulkUndo(registry, Registry.testCause).undo([(old, change)])
            #expect(undone.map(\.isDone) == [true])
        }
        #expect(try await registry.way(of: "hedy_b") == nil)
    }

    @Test(.tags(.damaging)) func wayEndsWithTheQuarantine() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        _ = try await rename(registry, "hedy_b", to: "hedy_c", for: owner("ada"))
        try await registry.execute("UPDATE names SET until = now() WHERE handle = 'hedy_b'")
        #expect(try await registry.way(of: "hedy_b") == nil)
    }

    @Test func onlyTheFormerOwnerOrAnAdminEndsTheWay() async throws {
        let registry = try await freshRegistry(policy: Policy())
        let (ada, bo) = (try owner("ada"), try owner("bo"))
        _ = try await registry.claim("hedy_b", for: ada)
        _ = try await rename(registry, "hedy_b", to: "hedy_c", for: ada)
        let old = try handle("hedy_b")
        #expect(try await registry.perform(EndForward(old, Registry.cause(of: bo))).kind == .notOwner)
        #expect(
            try await registry.perform(EndForward(old, if: Precondition(versions: [1]), Registry.testCause)).kind
                == .changed)
        #expect(try await registry.way(of: "hedy_b") == "hedy_c")
        #expect(try await registry.perform(EndForward(old, Registry.cause(of: ada))).kind == .done)
        #expect(try await registry.perform(EndForward(old, Registry.cause(of: ada))).kind == .already)
        #expect(try await registry.perform(EndForward(handle("hedy_c"), Registry.cause(of: ada))).kind == .already)
        #expect(try await registry.perform(EndForward(handle("olga_f"), Registry.testCause)).kind == .notClaimed)
        #expect(try await registry.history(of: old).map(\.action) == [.claimed, .renamed, .forwardEnded])
    }

    @Test func archiveHasTheWay() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("hedy_b", for: owner("ada"))
        _ = try await rename(registry, "hedy_b", to: "hedy_c", for: owner("ada"))
        for withHistory in [true, false] {
            let archive = try await lines(registry, withHistory: withHistory)
            let copy = try await freshRegistry(policy: Policy())
            _ = try await take(archive, into: copy)
            #expect(try await copy.way(of: "hedy_b") == "hedy_c")
        }
    }

    /// Random renames, releases, claims and ends of quarantine of a few owners, with one name each and with several.
    @Test(.timeLimit(.minutes(5)), arguments: [Policy(), Policy.unlimited]) func noNameLeadsToAnotherOwner(
        _ policy: Policy
    ) async throws {
        var policy = policy
        (policy.quarantine, policy.keptNames) = (.seconds(86_400), 0)
        let registry = try await freshRegistry(policy: policy)
        let names = try ["hedy_b", "mirko_m", "jorinde", "bela_k", "olga_f", "tomas_v", "wim_d", "zoe_q"].map(handle)
        let owners = try ["ada", "bo", "cleo"].map(owner)
        var ways = 0
        for _ in 0..<600 {
            let (name, other, owner) = (names.randomElement()!, names.randomElement()!, owners.randomElement()!)
            switch Int.random(in: 0..<8) {
            case 0, 1: _ = try await registry.claim(name.description, for: owner)
            case 2: try await registry.release(name)
            case 3: _ = try await registry.perform(EndForward(name, Registry.cause(of: owner)))
            case 4: _ = try await registry.perform(Release(name, atOnce: true, Registry.testCause))
            default:
                _ = try await registry.perform(
                    Rename(name, to: other.description, for: owner, forwarding: .random(), Registry.testCause))
            }
            for (old, resolution) in zip(names, try await registry.resolve(names)) {
                guard case .moved(let record, let present) = resolution else { continue }
                ways += 1
                #expect(record.handle == old)
                // The last event of the old name is its owner's rename.
                let event = try #require(try await registry.history(of: old).last)
                #expect(event.action == .renamed && event.ownerID == present.owner)
                #expect(present.state == .claimed && present.handle != old)
            }
        }
        #expect(ways > 0)
    }
}

extension Registry {
    /// The display handle that an old name leads to.
    fileprivate func way(of name: String) async throws -> String? {
        guard case .moved(_, let present) = try await resolve([handle(name)])[0] else { return nil }
        return present.display.description
    }
}

extension Resolution {
    fileprivate var word: String {
        switch self {
        case .found: "found"
        case .moved: "moved"
        case .none: "none"
        }
    }
}
