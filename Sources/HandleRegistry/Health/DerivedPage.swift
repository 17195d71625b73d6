import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// Records in use, with the data derived from them.
struct DerivedPage {
    let names: [Record]
    private let entries: [LookalikeKey: LookalikeEntry]
    private let origins: [Handle: Origin]
    private let accounts: [OwnerMark: Account]
    private let scope: Scope

    init(
        _ names: [Record], entries: [LookalikeEntry], steps: [LookupSteps.Row], accounts: [Account], _ scope: Scope
    ) {
        (self.names, self.scope) = (names, scope)
        self.entries = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
        origins = steps.reduce(into: [:]) { $0[$1.handle, default: Origin()].follow($1.step) }
        self.accounts = Dictionary(accounts.map { ($0.mark, $0) }) { first, _ in first }
    }

    func discrepancies() -> [Discrepancy] {
        names.flatMap { name in
            [(Discrepancy.Kind.unprotected, isProtected(name)), (.unlisted, isListed(name))].filter { !$0.1 }.map {
                Discrepancy(subject: name.handle.description, version: name.version, kind: $0.0)
            }
        }
    }

    /// True if the row of the look-alike key agrees with the record.
    private func isProtected(_ name: Record) -> Bool {
        guard let entry = entries[LookalikeKey(name.handle)] else { return false }
        let noted = entry.names.first { $0.handle == name.handle }
        if name.state == .reserved {
            let end = entry.protector == name.handle ? entry.protectedUntil : noted?.end
            return entry.isProtected(name.handle) && name.until.isSameMoment(as: end)
        }
        guard let noted, name.until.isSameMoment(as: noted.end) else { return false }
        return origins[name.handle]?.state != .reserved || entry.isProtected(name.handle)
    }

    /// True if the owner's account has the held or quarantined handle.
    private func isListed(_ name: Record) -> Bool {
        guard let mark = name.keeper(scope) else { return true }
        guard let account = accounts[mark] else { return false }
        guard name.state == .held else { return account.quarantined.contains(name.handle) }
        return account.holds.contains {
            $0.handle == name.handle && name.until.isSameMoment(as: $0.end)
        }
    }
}

extension Record {
    var isOwned: Bool { state == .claimed || state == .quarantined }

    /// The mark of the owner that holds the handle or for which it is in quarantine.
    func keeper(_ scope: Scope) -> OwnerMark? {
        state == .held ? owner.map(scope.mark) : state == .quarantined ? former : nil
    }
}
