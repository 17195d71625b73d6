import HandleCore
import Postgres

import struct FoundationEssentials.Date

/// Rows of names that nothing is known of, for COPY: the quickest way into the tables. The primary keys refuse all of
/// them together when something is known of one after all.
///
/// The rows of a table are made when they are asked for, in the order in which everybody locks: there are megabytes.
struct FreshReservations {
    /// No two of the same handle or look-alike key.
    private let names: [NameToReserve]
    /// The transaction's time.
    private let now: Date
    /// The places of the names, in alphabetical order.
    private let byName: [Int]

    init(_ names: [NameToReserve], at now: Date) {
        self.names = names
        self.now = now
        byName = names.indices.map { (handle: names[$0].handle, index: $0) }.sorted { $0.handle < $1.handle }
            .map(\.index)
    }

    func lookalikes() -> CopyRows {
        var rows = CopyRows.lookalikes(reservingCapacity: names.count * 170)
        let byKey = names.indices.map { (key: names[$0].key, index: $0) }.sorted { $0.key < $1.key }
        for (key, index) in byKey {
            var entry = LookalikeEntry(key: key, now: now)
            (entry.protector, entry.protectedUntil) = (names[index].handle, names[index].reservation.until)
            rows.add(entry)
        }
        return rows
    }

    func handles(change: Int64) -> CopyRows {
        var rows = CopyRows(
            table: "handles",
            columns: [
                "handle", "display", "state", "owner", "hold", "reason", "version", "change", "until", "changed_at",
            ], reservingCapacity: names.count * 150)
        for index in byName {
            let name = names[index]
            rows.beginRow()
            rows.add { name.handle.letters.append(to: &$0) }
            rows.add { name.display.letters.append(to: &$0) }
            rows.add(State.reserved.rawValue)
            rows.add(name.reservation.owner?.id)
            rows.addNull()
            rows.add(name.reservation.reason)
            rows.add(1)
            rows.add(change)
            rows.add(name.reservation.until)
            rows.add(now)
        }
        return rows
    }

    func events(actor: String, _ scope: Scope) -> CopyRows {
        var rows = CopyRows.events(reservingCapacity: names.count * 250)
        var marks: [Owner: OwnerMark] = [:]
        for index in byName {
            let (name, reservation) = (names[index], names[index].reservation)
            var mark: OwnerMark?
            if let owner = reservation.owner {
                mark = marks[owner] ?? scope.mark(of: owner)
                marks[owner] = mark
            }
            rows.add(
                Event(
                    version: 1, at: now, actor: actor, action: .reserved, from: .free, to: .reserved,
                    display: name.display, owner: mark, reason: reservation.reason, related: nil,
                    until: reservation.until), after: nil)
        }
        return rows
    }
}
