import HandleRegistry
package import HandleRules
import HandleWords

package import struct FoundationEssentials.Date

/// The optional fields of the rows of a file of handles to reserve.
struct ReserveFields {
    /// Names of the columns, in their order after the column of the handle.
    static let columns = ["display", "reason", "owner", "until"]
    /// Index of the column of the owner, counting that of the handle.
    static let ownerColumn = 3

    let chunk: JudgedChunk

    init(_ chunk: JudgedChunk) { self.chunk = chunk }

    /// The handle with its reservation. Nil if the row has a verdict, or gets one here because a field is unreadable.
    /// - Parameter defaults: used for empty fields; without a reason if each row must have one.
    func name(
        _ row: Int, _ result: inout RowResult, _ defaults: ReserveDefaults, now: Date
    ) -> NameToReserve? {
        do throws(RecordFault) {
            guard let spelled = result.display else { return nil }
            let given = text(row, 1).map { Reading(typed: $0).display }
            let isSame = given.map { $0?.handle == spelled.handle } ?? true
            if isSame, let given { result.display = given }
            guard result.verdict == nil, let display = result.display else { return nil }
            guard isSame else { throw .badDisplay }
            return NameToReserve(display, try reservation(row, defaults, now: now))
        } catch {
            result.refuse(error)
            return nil
        }
    }

    private func reservation(_ row: Int, _ defaults: ReserveDefaults, now: Date) throws(RecordFault) -> Reservation {
        guard (1...4).allSatisfy({ isText(row, $0) }) else { throw .notUTF8 }
        let given = text(row, 2)
        guard let reason = given ?? defaults.reason, given?.isReason ?? true else {
            throw .badReason
        }
        var reservation = Reservation(reason: reason, owner: defaults.owner, until: defaults.until)
        if let text = text(row, Self.ownerColumn) {
            guard let owner = Owner(text) else { throw .badOwner }
            reservation.owner = owner
        }
        if let text = text(row, 4) {
            guard let end = Date(end: text) else { throw .badUntil(isOver: false) }
            guard end > now else { throw .badUntil(isOver: true) }
            reservation.until = end
        }
        return reservation
    }

    /// Text of a field; nil if the field is missing or blank.
    private func text(_ row: Int, _ column: Int) -> String? {
        let bytes = chunk.field(row, column: column)
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// True if the field is valid UTF-8. Invalid bytes would be read as different text.
    private func isText(_ row: Int, _ column: Int) -> Bool {
        let bytes = chunk.input(row, column: column)
        return bytes.isEmpty || String(validating: bytes, as: UTF8.self) != nil
    }
}

/// Reason, owner and end of a reservation, for rows that leave them empty.
package struct ReserveDefaults: Sendable {
    /// Nil if each row must have its own. A valid reason (`String.isReason`).
    package var reason: String?
    package var owner: Owner?
    package var until: Date?

    package init(reason: String?, owner: Owner?, until: Date?) {
        self.reason = reason
        self.owner = owner
        self.until = until
    }
}
