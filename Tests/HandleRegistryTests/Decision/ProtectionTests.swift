import Foundation
import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

/// Which look-alikes of a name count, without a database.
@Suite struct ProtectionTests {
    private func name(
        _ name: String, _ state: Handle.State = .claimed, protection: Int32? = nil, isExempt: Bool = false,
        changedAt seconds: Double = 0, place: Int32 = 0
    ) throws -> NameInUse {
        NameInUse(
            handle: try handle(name), state: state, owner: nil, former: nil, hold: nil, protection: protection,
            isExempt: isExempt, ends: state == .held || state == .quarantined,
            changedAt: Date(timeIntervalSince1970: seconds), place: place)
    }

    private func known(_ name: String, _ names: NameInUse...) throws -> KnownName {
        KnownName(of: try handle(name), among: names)
    }

    @Test func protectedNamesStandInTheOrderOfTheirReservations() throws {
        let second = try name("4cme", .claimed, protection: 2, isExempt: true, changedAt: 1)
        let first = try name("acme", .reserved, protection: 1, changedAt: 9)
        let third = try name("acm3", .reserved, protection: 3, isExempt: true, changedAt: 2)
        let stranger = try known("a_cme", third, first, second)
        #expect(stranger.protectors.map(\.handle.description) == ["acme", "4cme", "acm3"])
        #expect(try known("4cme", third, first, second).protectorsBefore.map(\.handle.description) == ["acme"])
        #expect(try known("acme", third, first, second).protectorsBefore.isEmpty)
    }

    /// Once the name before it is free, nothing is left that it was allowed in spite of.
    @Test func exceptionOfAProtectedNameEndsWithTheNamesBeforeIt() throws {
        let (first, second) = (
            try name("acme", .reserved, protection: 1), try name("4cme", .claimed, protection: 2, isExempt: true)
        )
        #expect(try known("4cme", first, second).isExempt)
        #expect(try !known("4cme", second).isExempt)
        #expect(try !known("acme", first, second).isExempt)
        // An exception of a name that is not protected lasts as long as the name is in use.
        #expect(try known("acm3", name("acm3", isExempt: true)).isExempt)
    }

    @Test func heldAndQuarantinedNamesAreKeptAfterTheProtectedOnes() throws {
        let known = try known(
            "a_cme", name("acm3", .quarantined, changedAt: 5), name("4cme", .held, changedAt: 3), name("acrne"),
            name("acme", .reserved, protection: 1, changedAt: 7))
        #expect(known.kept.map(\.handle.description) == ["acme", "4cme", "acm3"])
        // A reservation that was there before all others is told apart from names that stay with their owners.
        #expect(known.others.map(\.handle.description) == ["acrne", "4cme", "acm3"])
    }

    @Test func onlyAClaimedNameWithoutAnExceptionIsARival() throws {
        let returning = try name("acme", .quarantined)
        #expect(try known("acme", returning, name("4cme")).claimedRival?.handle == handle("4cme"))
        #expect(try known("acme", returning, name("4cme", isExempt: true)).claimedRival == nil)
        #expect(try known("acme", returning, name("4cme", .quarantined)).claimedRival == nil)
        #expect(try known("acme", name("acme", .quarantined, isExempt: true), name("4cme")).claimedRival == nil)
    }
}
