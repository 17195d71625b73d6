import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// The rows for archived handles in this registry.
struct RestoredRows {
    private(set) var owners: [(mark: OwnerMark, id: String?, claims: Int64, hold: (handle: Handle, end: Date)?)] = []
    /// The names with the hashes of their last events, in alphabetical order.
    private var names: [(name: ArchivedName, lastHash: [UInt8])] = []
    private(set) var events = CopyRows.events()
    private(set) var quarantined: [RestoreQuarantined] = []
    private let change = newChange()
    private let scope: Scope

    init(_ names: [ArchivedName], actor: String, _ scope: Scope) {
        self.scope = scope
        owners = Self.owners(of: names, scope)
        var kept: [OwnerMark: [Account.Kept]] = [:]
        for name in names.sorted(by: { $0.handle < $1.handle }) {
            if let former = name.former(scope), let end = name.until {
                kept[former, default: []].append(Account.Kept(handle: name.handle, end: end))
            }
            var hash: [UInt8]?
            for event in name.version == nil ? [name.imported(by: actor, scope)] : name.events {
                var event = event
                if let owner = event.ownerID { event.owner = scope.mark(of: owner) }
                let chained = ChainedEvent(event, after: hash)
                events.add(chained)
                hash = chained.hash
            }
            self.names.append((name, hash ?? []))
        }
        quarantined = kept.map { RestoreQuarantined(mark: $0, kept: $1) }
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

    /// The events, for the feed: they become visible now, whenever they were made.
    func outbox(at now: Date) -> [OutboxRow] {
        names.flatMap { name, _ in
            (1...(name.version ?? 1)).map { OutboxRow(at: now, version: $0, handle: name.handle) }
        }
    }

    /// Rows of `names`, in lock order.
    /// - Parameter stored: the records of this registry with the same look-alike keys.
    func names(beside stored: [Record]) -> CopyRows {
        var records = Dictionary(grouping: stored) { LookalikeKey($0.handle) }
        var rows = CopyRows.names(reservingCapacity: names.count * 250)
        for (key, name, hash) in names.map({ (LookalikeKey($0.name.handle), $0.name, $0.lastHash) })
            .sorted(by: { ($0.0, $0.1.handle) < ($1.0, $1.1.handle) })
        {
            let record = name.record(beside: records[key] ?? [], change: change, scope)
            records[key, default: []].append(record)
            rows.add(StoredName(record: record, lastHash: hash), key: key)
        }
        return rows
    }
}

extension ArchivedName {
    /// The event that imports the handle without its history.
    fileprivate func imported(by actor: String, _ scope: Scope) -> Event {
        Event(
            version: 1, at: since, actor: actor, action: .imported, from: .free, to: state, display: display,
            owner: former(scope) ?? owner.map(scope.mark), reason: reason, related: nil, until: until)
    }

    /// The record of the handle in this registry.
    ///
    /// A handle that is protected and not exempt is protected before those that are here already, which stay protected.
    /// - Parameter others: the records with the same look-alike key.
    fileprivate func record(beside others: [Record], change: Int64, _ scope: Scope) -> Record {
        let protections = others.filter { !$0.isFree }.compactMap(\.protection)
        // A reservation is always protected, even if the exported registry had lost that.
        let isProtected = mustBeProtected || state == .reserved
        let protection =
            mustBeProtected && !isExempt ? (protections.min() ?? 2) - 1 : (protections.max() ?? 0) + 1
        return Record(
            display: display, state: state, owner: state == .quarantined ? nil : owner, former: former(scope),
            // An archive has no secrets of holds. The owner claims the handle by id.
            hold: state == .held ? Secret.random(prefix: "hold_") : nil, reason: reason, version: version ?? 1,
            change: change, until: until, changedAt: since, place: Int32(others.count),
            protection: isProtected && state != .free ? protection : nil, isExempt: isExempt && state != .free,
            isForwarded: isForwarded,
            hasLapsed: false)
    }
}
