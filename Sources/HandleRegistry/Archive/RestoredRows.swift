import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// The rows for archived handles in this registry, in lock order.
struct RestoredRows {
    private(set) var owners: [(mark: OwnerMark, id: String?, claims: Int64, hold: (handle: Handle, end: Date)?)] = []
    /// The handles in use.
    let names: [ArchivedName]
    private(set) var handles = CopyRows.names()
    private(set) var events = CopyRows.events()

    init(_ names: [ArchivedName], actor: String, _ scope: Scope) {
        owners = Self.owners(of: names, scope)
        self.names = names.filter { $0.state != .free }
        let change = newChange()
        for name in names.sorted(by: { $0.handle < $1.handle }) {
            handles.add(name.record(change: change, scope))
            guard name.version == nil else {
                var hash: [UInt8]?
                for event in name.events {
                    var event = event
                    if let owner = event.ownerID { event.owner = scope.mark(of: owner) }
                    let chained = ChainedEvent(event, after: hash)
                    events.add(chained)
                    hash = chained.hash
                }
                continue
            }
            let event = Event(
                version: 1, at: name.since, actor: actor, action: .imported, from: .free, to: name.state,
                display: name.display, owner: name.former(scope) ?? name.owner.map(scope.mark), reason: name.reason,
                related: nil, until: name.until)
            events.add(ChainedEvent(event, after: nil))
        }
    }

    private static func owners(
        of names: [ArchivedName], _ scope: Scope
    ) -> [(mark: OwnerMark, id: String?, claims: Int64, hold: (handle: Handle, end: Date)?)] {
        var claims: [OwnerMark: Int64] = [:]
        var ids: [OwnerMark: String] = [:]
        var holds: [OwnerMark: (handle: Handle, end: Date)] = [:]
        func meet(_ owner: Owner) -> OwnerMark {
            let mark = scope.mark(of: owner)
            ids[mark] = owner.id
            claims[mark, default: 0] += 0
            return mark
        }
        for name in names {
            for event in name.events { if let owner = event.ownerID { _ = meet(owner) } }
            if let mark = name.formerMark { claims[mark, default: 0] += 0 }
            // An owner with only a reservation needs no row in `owners`.
            guard let owner = name.owner, name.state != .reserved else { continue }
            let mark = meet(owner)
            if name.state == .claimed { claims[mark, default: 0] += 1 }
            if name.state == .held, let end = name.until { holds[mark] = (name.handle, end) }
        }
        return claims.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .map { ($0, ids[$0], claims[$0] ?? 0, holds[$0]) }
    }

    /// The look-alike keys with the handles added.
    /// - Parameter known: the rows that exist already.
    func lookalikes(adding known: [LookalikeEntry], at now: Date) -> [LookalikeEntry] {
        var entries = Dictionary(known.map { ($0.key, $0) }) { first, _ in first }
        for name in names {
            let key = LookalikeKey(name.handle)
            entries[key, default: LookalikeEntry(key: key, now: now)].restore(name)
        }
        return Array(entries.values)
    }
}

extension LookalikeEntry {
    /// Adds an archived handle. Handles of this registry that the key protects stay protected.
    fileprivate mutating func restore(_ name: ArchivedName) {
        let isProtected = name.mustBeProtected
        // A lapsed handle is not in use.
        if let until = name.until, until <= now { return }
        // A reservation is always protected, even if the exported registry had lost its look-alike key.
        if isProtected && !name.isExempt {
            protectFirst(name.handle, until: name.until)
        } else if isProtected || name.state == .reserved {
            protect(name.handle, until: name.until)
        }
        if name.state != .reserved { note(name.handle, until: name.until) }
        if name.isExempt, protector != name.handle { allow(name.handle, until: name.until) }
    }
}

extension ArchivedName {
    /// The record of the handle in this registry.
    fileprivate func record(change: Int64, _ scope: Scope) -> Record {
        Record(
            display: display, state: state, owner: state == .quarantined ? nil : owner, former: former(scope),
            // An archive has no secrets of holds. The owner claims the handle by id.
            hold: state == .held ? Secret.random(prefix: "hold_") : nil, reason: reason, version: version ?? 1,
            change: change, until: until, changedAt: since, hasLapsed: false)
    }
}
