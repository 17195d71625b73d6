package import HandleCore
import HandleRegistry
import HandleText
import Records

package import struct FoundationEssentials.Date

/// Result of one row of a file of handles to reserve.
package struct ReservedRow: Sendable {
    package let line: Int
    package let record: Int
    /// The text in the file, with U+FFFD for invalid UTF-8.
    package let input: String
    package let display: DisplayHandle?
    package private(set) var result = Result.open
    /// Reasons of a refused row.
    package private(set) var reasons: [Reason] = []
    /// Look-alikes of the handle that are in use. They stay with their owners.
    package private(set) var lookalikes: [Handle] = []
    /// Line of the earlier row with the same handle, if the row is a duplicate.
    package private(set) var firstLine: Int?
    /// Message about an unreadable row.
    package private(set) var fault: String?

    package enum Result: String, Sendable, CaseIterable {
        /// Not done yet.
        case open
        /// The handle is reserved now.
        case reserved
        /// The handle was reserved already, and stays as it is.
        case already = "already_reserved"
        /// The handle can't be reserved: see `reasons`.
        case refused
        /// An earlier row has the same handle.
        case duplicate
        /// A field of the row can't be read.
        case unreadable
    }

    /// Names of the columns of a file, in their order after the column of the handle.
    static let columns = ["display", "reason", "owner", "until"]

    /// Result of a judged row: open if it is to be reserved.
    init(_ index: Int, _ judged: JudgedChunk, _ words: ReservedWords, _ policy: Policy) {
        let row = judged.rows[index]
        line = judged.line(index)
        record = judged.record(index)
        input = String(decoding: judged.input(index), as: UTF8.self)
        guard let reading = judged.decision(index, words, policy)?.reading else {
            display = nil
            (result, fault) = (.unreadable, judged.fault(index).message)
            return
        }
        guard let spelled = reading.display else {
            display = nil
            (result, reasons) = (.refused, reading.reasons)
            return
        }
        let given = judged.field(index, 1).map { Reading(typed: $0).display }
        let isSame = given.map { $0?.handle == spelled.handle } ?? true
        display = isSame ? given ?? spelled : spelled
        if row.duplicate.isSameHandle {
            (result, firstLine) = (.duplicate, row.firstLine)
        } else if !isSame {
            (result, fault) = (
                .unreadable, "The display handle is not the same name: it may differ in capitals only."
            )
        }
    }

    /// The handle and the reservation of an open row. Nil if the row is not open, or becomes unreadable here.
    /// - Parameter defaults: used for empty fields; without a reason if each row must have one.
    mutating func name(_ index: Int, _ judged: JudgedChunk, _ defaults: ReserveDefaults, now: Date) -> NameToReserve? {
        guard result == .open, let display else { return nil }
        guard (1...4).allSatisfy({ judged.isText(index, $0) }) else { return refuse("The row is not UTF-8.") }
        var owner = defaults.owner
        var until = defaults.until
        let given = judged.field(index, 2)
        guard let reason = given ?? defaults.reason, given?.isReason ?? true else {
            return refuse("The reason is missing or not a few words in one line.")
        }
        if let text = judged.field(index, 3) {
            guard let given = Owner(text) else { return refuse("The owner is not \(Owner.rule).") }
            owner = given
        }
        if let text = judged.field(index, 4) {
            guard let end = Date(endOfDay: text) else { return refuse("The last day is not a day such as 2027-12-31.") }
            guard end > now else { return refuse("The last day is over already.") }
            until = end
        }
        return NameToReserve(display, Reservation(reason: reason, owner: owner, until: until))
    }

    private mutating func refuse(_ fault: String) -> NameToReserve? {
        (result, self.fault) = (.unreadable, fault)
        return nil
    }

    mutating func take(_ reserved: Reserved) {
        switch reserved.outcome {
        case .done: (result, lookalikes) = (.reserved, reserved.lookalikes)
        case .already: result = .already
        case .refused(let refusal): (result, reasons) = (.refused, refusal.reasons)
        }
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

extension JudgedChunk {
    /// Text of a field; nil if the field is missing or empty.
    fileprivate func field(_ row: Int, _ column: Int) -> String? {
        let bytes = input(row, column: column)
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// True if the field is valid UTF-8. Invalid bytes would be read as different text.
    fileprivate func isText(_ row: Int, _ column: Int) -> Bool {
        String(validating: input(row, column: column), as: UTF8.self) != nil
    }
}

extension String {
    /// True if the text is valid as the reason of a reservation: not blank, without control characters.
    package var isReason: Bool {
        contains { !$0.isWhitespace }
            && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
