import Foundation
import HandleRegistry
import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

/// Look-alikes that are kept for the same owner, or for the operator as well.
@Suite(.consistent) struct SharedLookalikeTests {
    /// A reservation for an owner; nil for the operator.
    private func reservation(_ id: String?) throws -> Reservation {
        Reservation(reason: "series", owner: try id.map(owner))
    }

    private func names(_ texts: [String], for id: String?) throws -> [NameToReserve] {
        try texts.map { NameToReserve(try #require(DisplayHandle($0)), try reservation(id)) }
    }

    /// The look-alikes of a series: an underscore, a letter for a digit, a doubled letter.
    private static let series = (0..<500).flatMap { ["kite\($0)", "kite_\($0)"] } + ["item1", "iteml", "i_tem_1"]

    @Test(arguments: [nil, "us"]) func everyNameOfAnOwnersSeriesIsReserved(_ id: String?) async throws {
        let registry = try await freshRegistry()
        let names = try names(Self.series, for: id)
        let reserved = try await BulkReserve(registry, actor: "test").reserve(names)
        #expect(reserved.allSatisfy { $0.outcome.kind == .done })
        #expect(Array(reserved.prefix(4)).map { $0.original?.description } == [nil, "kite0", nil, "kite1"])
        #expect(reserved.allSatisfy { $0.lookalikes.isEmpty })
        #expect(try await registry.history(of: handle("i_tem_1")).map(\.related) == ["item1"])
        #expect(try await discrepancies(registry).isEmpty)
        let again = try await BulkReserve(registry, actor: "test").reserve(names)
        #expect(again.allSatisfy { $0.outcome.kind == .already && $0.original == nil })
        // Each of them stands against others, also after the first one is gone.
        for _ in 0..<2 {
            for other in ["them", id == nil ? "us" : nil] {
                let theirs = try await BulkReserve(registry, actor: "test").reserve(self.names(["it3ml"], for: other))
                #expect(theirs[0].outcome.kind == .refused(.lookalike))
            }
            #expect(try await registry.claim("it3ml", for: owner("them")).kind == .refused(.lookalike))
            try await registry.release(handle("item1"))
        }
    }

    /// A protected handle, by its state and the owner that it is kept for.
    enum Original: CaseIterable {
        case operators, promised, claimed, quarantined, claimedLater

        /// True if it is kept for `id`; nil for the operator.
        func isKept(for id: String?) -> Bool { self == .operators ? id == nil : id == "us" }
    }

    /// Protects acme.
    private func protect(_ original: Original, _ registry: Registry) async throws {
        let reservation = try reservation(original == .operators || original == .claimedLater ? nil : "us")
        #expect(try await registry.reserve("acme", reservation).kind == .done)
        switch original {
        case .operators, .promised: break
        case .claimed, .quarantined: #expect(try await registry.claim("acme", for: owner("us")).kind == .done)
        case .claimedLater:
            let assign = Assign("acme", to: try owner("us"), Registry.testCause)
            #expect(try await registry.perform(assign).kind == .done)
        }
        if original == .quarantined { try await registry.release(handle("acme")) }
    }

    @Test(arguments: Original.allCases) func lookalikeIsReservedForTheSameOwnerOnly(_ original: Original) async throws {
        for id in [nil, "us", "them"] {
            let registry = try await freshRegistry()
            try await protect(original, registry)
            let names = try names(["ac_me"], for: id)
            let expected: ChangeOutcome.Kind = original.isKept(for: id) ? .done : .refused(.lookalike)
            let dryRun = try await BulkReserve(registry, actor: "test", isDryRun: true).reserve(names)
            let reserved = try await BulkReserve(registry, actor: "test").reserve(names)
            #expect(reserved[0].outcome.kind == expected, "\(id ?? "the operator")")
            #expect(dryRun[0].outcome.kind == expected && dryRun[0].original == reserved[0].original)
            #expect(reserved[0].original?.description == (expected == .done ? "acme" : nil))
        }
    }

    @Test(arguments: Original.allCases) func lookalikeIsForTheSameOwnerInEveryChange(_ original: Original) async throws
    {
        for id in ["us", "them"] {
            let someone = try owner(id)
            let isKept = original != .operators && id == "us"
            for change in ["claim", "hold", "rename", "dry run"] {
                let registry = try await freshRegistry()
                try await protect(original, registry)
                _ = try await registry.claim("zebra", for: someone)
                let check = try await registry.availability(of: "acrne", for: someone).decision
                #expect(check.isAvailable == isKept, "\(id)")
                #expect(try await registry.decisions(about: ["zebra_one", "acrne"], for: someone)[1] == check)
                #expect(try await !registry.availability(of: "acrne").decision.isAvailable)
                let outcome =
                    switch change {
                    case "claim": try await registry.claim("acrne", for: someone).kind
                    case "hold": try await registry.hold("acrne", for: someone).kind
                    case "rename": try await registry.rename(handle("zebra"), to: "acrne", for: someone).kind
                    default:
                        await BulkClaim(registry, isDryRun: true)
                            .claim([Claim("acrne", for: someone, Registry.testCause)]).outcomes[0]?.kind
                    }
                #expect(outcome == (isKept ? .done : .refused(.lookalike)), "\(change) for \(id)")
            }
        }
    }

    /// Each protected look-alike is an obstacle, not only the first.
    @Test func lookalikeOfHandlesKeptForTwoOwnersIsForNeither() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", reservation("us"))
        #expect(try await registry.reserve("acrne", reservation("them"), allowingLookalike: true).kind == .done)
        for (id, other) in [("us", "acrne"), ("them", "acme")] {
            let outcome = try await registry.reserve("ac_me", reservation(id))
            guard case .refused(.decision(let decision)) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(decision.reasons == [.lookalike(of: try handle(other))])
            #expect(try await registry.claim("ac_me", for: owner(id)).kind == .refused(.lookalike))
        }
        // A handle that is promised to an owner stays promised.
        #expect(try await registry.claim("acrne", for: owner("them")).kind == .done)
    }

    /// No two handles in use look alike then, not even two of one owner.
    @Test func strictPolicyRefusesLookalikesOfAnOwnersOwnHandles() async throws {
        let registry = try await freshRegistry { $0.lookalikes = .strict }
        _ = try await registry.reserve("acme", reservation("us"))
        let us = try owner("us")
        #expect(try await !registry.availability(of: "acrne", for: us).decision.isAvailable)
        #expect(try await registry.claim("acrne", for: us).kind == .refused(.lookalike))
        #expect(try await registry.reserve("acrne", reservation("us")).kind == .done)
    }

    /// A rename gives the old handle up for its owner, and so never stands in its own way.
    @Test(arguments: Policy.Lookalikes.allCases)
    func ownerRenamesAProtectedHandleToItsLookalike(_ lookalikes: Policy.Lookalikes) async throws {
        let registry = try await freshRegistry { $0.lookalikes = lookalikes }
        try await protect(.claimed, registry)
        let us = try owner("us")
        #expect(try await registry.rename(handle("acme"), to: "Ac_Me", for: us).kind == .done)
        #expect(try await registry.claim("acrne", for: owner("them")).kind == .refused(.lookalike))
        #expect(try await registry.rename(handle("ac_me"), to: "acme", for: us).kind == .done)
    }

    /// A reservation that is planned again finds what it has done before.
    @Test func repeatedPlanOfReservationsHasTheSameOutcomes() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("acrne", for: owner("them"))
        let changes = try names(["acme", "ac_me", "a_c_me"], for: "us").map {
            Reserve(name: $0, allowsLookalike: false, actor: "test", number: 7)
        }
        let first = try await registry.writes.write(changes)
        #expect(first.map { $0.original?.description } == [nil, "acme", "acme"])
        #expect(first.map(\.outcome.kind) == [.done, .done, .done])
        let again = try await registry.writes.write(changes)
        #expect(again == first)
    }

    /// The secret of a hold gives its handle to another owner, but not past the holder's protected handle.
    @Test(arguments: [Original.promised, .claimed, .quarantined])
    func secretOfAHoldDoesNotGiveALookalikeOfTheHoldersHandleAway(_ original: Original) async throws {
        let registry = try await freshRegistry()
        try await protect(original, registry)
        let held = try await registry.hold("ac_me", for: owner("us"))
        let secret = try #require(held.record?.hold)
        let refused = try await registry.claim("ac_me", for: owner("them"), hold: secret)
        #expect(refused.kind == .refused(.lookalike))
        #expect(try await registry.claim("ac_me", for: owner("us"), hold: secret).kind == .done)
        // A hold from before the reservation goes to the owner with the secret.
        let earlier = try await registry.hold("zebra", for: owner("visitor"))
        _ = try await registry.reserve("ze_bra", reservation("us"))
        #expect(
            try await registry.claim("zebra", for: owner("them"), hold: earlier.record?.hold).kind == .done)
    }

    /// A protected handle has no obstacle in those that were allowed in spite of it.
    @Test func refusalOfAProtectedHandleDoesNotNameItsLookalike() async throws {
        let registry = try await freshRegistry()
        for (name, end) in [("acme", nil), ("ac_me", Date(endOfDay: "2999-12-31"))] {
            var reservation = try reservation(nil)
            reservation.until = end
            _ = try await registry.reserve(name, reservation)
        }
        for name in ["acme", "ac_me"] {
            #expect(try await registry.claim(name, for: owner("them")).kind == .refused(.taken))
        }
    }

    @Test func permissionForALookalikeNamesTheHandleOfTheOtherOwner() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", reservation("us"))
        _ = try await registry.reserve("acrne", reservation("them"), allowingLookalike: true)
        let claim = Claim("ac_me", for: try owner("us"), allowingLookalike: true, Registry.testCause)
        #expect(try await registry.perform(claim).kind == .done)
        #expect(try await registry.history(of: handle("ac_me")).map(\.related) == ["acrne"])
    }
}
