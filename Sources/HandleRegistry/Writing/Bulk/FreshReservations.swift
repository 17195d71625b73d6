import HandleRules
import HandleWords
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
        let byKey = names.indices.map { (key: names[$0].key, index: $0) }.sorted { $0.key < $1.key }.map(\.index)
        return rows(.lookalikes(reservingCapacity: names.count * 170), byKey, differingIn: [0, 1]) { rows, name in
            var entry = LookalikeEntry(key: name.key, now: now)
            (entry.protector, entry.protectedUntil) = (name.handle, name.reservation.until)
            rows.add(entry)
        } write: { name, field, bytes in
            (field == 0 ? name.key.letters : name.handle.letters).append(to: &bytes)
            return true
        }
    }

    func handles(change: Int64) -> CopyRows {
        rows(.names(reservingCapacity: names.count * 150), byName, differingIn: [0, 1]) { rows, name in
            rows.add(name.record(version: 1, change: change, at: now))
        } write: { name, field, bytes in
            guard let letters = field == 0 ? name.handle.letters : name.display.storedLetters else { return false }
            letters.append(to: &bytes)
            return true
        }
    }

    func events(actor: String, _ scope: Scope) -> CopyRows {
        var marks: [Owner: OwnerMark] = [:]
        // The text of the events with the last reservation.
        var text: EventText?
        return rows(.events(reservingCapacity: names.count * 250), byName, differingIn: [0, 1, 12]) { rows, name in
            let reservation = name.reservation
            var mark: OwnerMark?
            if let owner = reservation.owner {
                mark = marks[owner] ?? scope.mark(of: owner)
                marks[owner] = mark
            }
            let event = Event(
                version: 1, at: now, actor: actor, action: .reserved, from: .free, to: .reserved,
                display: name.display, owner: mark, reason: reservation.reason, related: nil, until: reservation.until)
            text = EventText(event)
            rows.add(ChainedEvent(event, after: nil))
        } write: { name, field, bytes in
            switch field {
            case 0: name.handle.letters.append(to: &bytes)
            case 1:
                guard let letters = name.display.storedLetters else { return false }
                letters.append(to: &bytes)
            default: if let text { bytes += text.hash(of: name.display) }
            }
            return true
        }
    }

    /// A row for each name. Most rows differ from the one before in a few fields only, so they are made by a template.
    /// - Parameters:
    ///   - empty: no rows of the table yet.
    ///   - order: the indices of the names.
    ///   - places: the fields in which the rows of names with the same reservation differ.
    ///   - add: adds the row of a name.
    ///   - write: writes a field that differs, or returns false for NULL; called with its index among these.
    private func rows(
        _ empty: CopyRows, _ order: [Int], differingIn places: [Int], add: (inout CopyRows, NameToReserve) -> Void,
        write: (NameToReserve, _ field: Int, inout [UInt8]) -> Bool
    ) -> CopyRows {
        var rows = empty
        var last: Reservation?
        var template: RowTemplate?
        for index in order {
            let name = names[index]
            guard name.reservation == last else {
                // Possibly the only name with this reservation.
                add(&rows, name)
                (last, template) = (name.reservation, nil)
                continue
            }
            if template == nil {
                var one = empty
                add(&one, name)
                template = RowTemplate(one, differingIn: places)
            }
            if let template { rows.add(template) { write(name, $0, &$1) } }
        }
        return rows
    }
}
