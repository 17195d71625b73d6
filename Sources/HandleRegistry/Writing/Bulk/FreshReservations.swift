import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// Rows of new handles for COPY, the fastest way into the tables. If one has a record or a look-alike after all, the
/// primary key fails the whole COPY.
///
/// The rows of a table are megabytes, so they are made when they are needed. They are in lock order.
struct FreshReservations {
    /// No handle or look-alike key twice.
    private let names: [NameToReserve]
    private let change: Int64
    private let actor: String
    /// The transaction's time.
    private let now: Date
    /// The hashes of the events.
    private let hashes: [[UInt8]]
    private let marks: [Owner: OwnerMark]

    init(_ names: [NameToReserve], change: Int64, actor: String, at now: Date, _ scope: Scope) {
        (self.names, self.change, self.actor, self.now) = (names, change, actor, now)
        var marks: [Owner: OwnerMark] = [:]
        var hashes: [[UInt8]] = []
        hashes.reserveCapacity(names.count)
        // The text of the events with the last reservation. Most are the same.
        var last: (reservation: Reservation, text: EventText)?
        for name in names {
            if let owner = name.reservation.owner, marks[owner] == nil { marks[owner] = scope.mark(of: owner) }
            if last?.reservation != name.reservation {
                last = (name.reservation, EventText(name.event(by: actor, at: now, marks)))
            }
            if let last { hashes.append(last.text.hash(of: name.display)) }
        }
        (self.hashes, self.marks) = (hashes, marks)
    }

    /// Rows of `names`, in the order of the keys.
    func records() -> CopyRows {
        var rows = CopyRows.names(reservingCapacity: names.count * 220)
        let order = names.indices.map { (key: names[$0].key, index: $0) }.sorted { $0.key < $1.key }
        for (key, index) in order {
            let record = names[index].record(version: 1, change: change, at: now)
            rows.add(StoredName(record: record, lastHash: hashes[index]), key: key)
        }
        return rows
    }

    /// Rows of `handle_events`, in alphabetical order.
    func events() -> CopyRows {
        var rows = CopyRows.events(reservingCapacity: names.count * 250)
        let order = names.indices.map { (handle: names[$0].handle, index: $0) }.sorted { $0.handle < $1.handle }
        for (_, index) in order {
            rows.add(ChainedEvent(names[index].event(by: actor, at: now, marks), hash: hashes[index]))
        }
        return rows
    }
}

extension NameToReserve {
    fileprivate func event(by actor: String, at now: Date, _ marks: [Owner: OwnerMark]) -> Event {
        Event(
            version: 1, at: now, actor: actor, action: .reserved, from: .free, to: .reserved, display: display,
            owner: reservation.owner.flatMap { marks[$0] }, reason: reservation.reason, related: nil,
            until: reservation.until)
    }
}
