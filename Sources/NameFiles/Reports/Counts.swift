package import HandleRules

/// Number of rows for each kind of result.
///
/// Verdicts and duplicates are kept in SIMD vectors, each with at least as many lanes as there are cases.
package struct Counts: Sendable, Equatable {
    package var rows = 0
    /// Blank records, which are not among the rows.
    package var blank = 0
    /// By verdict; the sum is the number of rows.
    private var verdicts = SIMD8<Int>()
    /// By reason; a row may have several.
    private var reasons: [Reason.Code: Int] = [:]
    /// Duplicates of an earlier row, by kind.
    private var duplicates = SIMD8<Int>()

    /// Unreadable rows, by the code of their fault.
    package var faults: [String: Int] = [:]
    /// Refused names with a repair: proposed, or claimed in place of the name.
    package var repairs = 0
    /// Names that an undo has given back, not freed.
    package var restored = 0

    package subscript(verdict: RowVerdict) -> Int { verdicts[Int(verdict.rawValue)] }
    package subscript(reason: Reason.Code) -> Int { reasons[reason, default: 0] }
    package subscript(duplicate: Duplicate) -> Int { duplicates[Int(duplicate.rawValue)] }

    /// Whether the input ends inside a record, as a truncated file does.
    package var endsInsideRecord: Bool { faults["unclosed_quote"] != nil || faults["cut_row"] != nil }

    /// All other rows: invalid, unavailable, duplicate, unreadable, differing.
    package var refused: Int { rows - self[.valid] - self[.done] - self[.already] }

    mutating func note(_ verdict: RowVerdict, _ duplicate: Duplicate, rows number: Int = 1) {
        rows += number
        verdicts[Int(verdict.rawValue)] += number
        duplicates[Int(duplicate.rawValue)] += number
    }

    /// Counts a row, unless it is not decided.
    mutating func note(_ row: RowResult) {
        guard let verdict = row.verdict else { return }
        guard !row.isBlank else {
            blank += 1
            return
        }
        note(verdict, row.duplicate)
        for reason in row.reasons { note(reason.code) }
        if let fault = row.fault { note(fault) }
        if row.claimedAs != nil { repairs += 1 }
        if row.isRestored { restored += 1 }
    }

    mutating func note(_ reason: Reason.Code) { reasons[reason, default: 0] += 1 }

    mutating func note(_ fault: RecordFault) { faults[fault.code, default: 0] += 1 }

    mutating func add(_ other: Counts) {
        rows += other.rows
        blank += other.blank
        repairs += other.repairs
        restored += other.restored
        faults.merge(other.faults, uniquingKeysWith: +)
        verdicts &+= other.verdicts
        reasons.merge(other.reasons, uniquingKeysWith: +)
        duplicates &+= other.duplicates
    }
}
