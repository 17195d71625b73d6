package import HandleCore
import HandleRegistry
import HandleText
import Records

package import struct FoundationEssentials.Date

/// A row of a file of names to reserve, with its result.
package struct ReservedRow: Sendable {
    package let line: Int
    package let record: Int
    /// As in the file; what is not UTF-8 there is U+FFFD here.
    package let input: String
    package let display: DisplayHandle?
    package private(set) var result = Result.open
    /// Why the name was refused.
    package private(set) var reasons: [Reason] = []
    /// Names in use that look like it, and stay with their owners.
    package private(set) var lookalikes: [Handle] = []
    /// The line of the earlier row with the same name, when it is a duplicate.
    package private(set) var firstLine: Int?
    /// Why the row can't be used, when it is unreadable.
    package private(set) var fault: String?

    package enum Result: String, Sendable, CaseIterable {
        /// Not done yet.
        case open
        /// It is reserved now.
        case reserved
        /// It was reserved already, and stays as it is.
        case already = "already_reserved"
        /// It can't be had: see the reasons.
        case refused
        /// An earlier row has the same name.
        case duplicate
        /// There is something in the row that could not be read.
        case unreadable
    }

    /// The names of the optional columns, in their order after the column of the handle.
    static let columns = ["display", "reason", "owner", "until"]

    /// A row that was judged: open when it is to be reserved.
    init(_ index: Int, _ judged: JudgedChunk, _ words: ReservedWords, _ policy: Policy) {
        let row = judged.rows[index]
        line = judged.line(index)
        record = judged.record(index)
        input = String(decoding: judged.input(index), as: UTF8.self)
        guard let reading = judged.verdict(index, words, policy)?.reading else {
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

    /// The reservation of an undecided row.
    /// - Parameter defaults: what holds where the row says nothing; without a reason when each row must have one.
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

    mutating func take(_ outcome: ReserveOutcome) {
        switch outcome {
        case .reserved(let lookalikes): (result, self.lookalikes) = (.reserved, lookalikes)
        case .already: result = .already
        case .refused(let verdict): (result, reasons) = (.refused, verdict.reasons)
        }
    }
}

/// The reservation of rows without values of their own.
package struct ReserveDefaults: Sendable {
    /// Nil when each row has its own; a reason (`String.isReason`).
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
    /// The text of a field; nil when the row has no such field, or nothing in it.
    fileprivate func field(_ row: Int, _ column: Int) -> String? {
        let bytes = input(row, column: column)
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a field is UTF-8: what is not would be taken for other text.
    fileprivate func isText(_ row: Int, _ column: Int) -> Bool {
        String(validating: input(row, column: column), as: UTF8.self) != nil
    }
}

extension String {
    /// Whether the text can be kept as the reason of a reservation.
    package var isReason: Bool {
        contains { !$0.isWhitespace }
            && !unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
