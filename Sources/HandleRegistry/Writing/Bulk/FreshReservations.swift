import HandleCore
import Postgres

import struct FoundationEssentials.Date

/// Rows of new handles for COPY, the fastest way into the tables. If one has a record or a row of its look-alike key
/// after all, the primary key fails the whole COPY.
///
/// The rows of a table are megabytes, so they are made when they are needed. They are in lock order.
struct FreshReservations {
    /// No handle or look-alike key twice.
    private let names: [NameToReserve]
    /// The transaction's time.
    private let now: Date
    /// The indices of `names`, in alphabetical order of the handles.
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
        var rows = CopyRows.names(reservingCapacity: names.count * 150)
        for index in byName { rows.add(names[index].record(version: 1, change: change, at: now)) }
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
            let event = Event(
                version: 1, at: now, actor: actor, action: .reserved, from: .free, to: .reserved,
                display: name.display, owner: mark, reason: reservation.reason, related: nil, until: reservation.until)
            rows.add(ChainedEvent(event, after: nil))
        }
        return rows
    }
}
