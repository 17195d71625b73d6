package import HandleRules

/// Number of rows for each kind of result.
///
/// Kept in SIMD vectors, each with at least as many lanes as there are cases, so that counting needs no arrays.
package struct Counts: Sendable, Equatable {
    package var rows = 0
    /// By verdict; the sum is the number of rows.
    private var verdicts = SIMD8<Int>()
    /// By reason; a row may have several.
    private var reasons = SIMD16<Int>()
    /// Duplicates of an earlier row, by kind.
    private var duplicates = SIMD8<Int>()

    /// Unreadable rows, by fault; see ``RowFault``.
    package var faults: [String: Int] = [:]

    package subscript(verdict: RowVerdict) -> Int { verdicts[Int(verdict.rawValue)] }
    package subscript(reason: Reason.Code) -> Int { reasons[reason.place] }
    package subscript(duplicate: Duplicate) -> Int { duplicates[Int(duplicate.rawValue)] }

    /// Whether the input ends inside a record, as a truncated file does.
    package var endsInsideRecord: Bool { faults["unclosed_quote"] != nil || faults["cut_row"] != nil }

    /// All other rows: invalid, unavailable, duplicate, unreadable, changed.
    package var refused: Int { rows - self[.valid] - self[.done] - self[.already] }

    mutating func note(_ verdict: RowVerdict, _ duplicate: Duplicate, rows number: Int = 1) {
        rows += number
        verdicts[Int(verdict.rawValue)] += number
        duplicates[Int(duplicate.rawValue)] += number
    }

    mutating func note(_ reason: Reason.Code) { reasons[reason.place] += 1 }

    mutating func note(_ fault: RowFault) { faults[fault.name, default: 0] += 1 }

    mutating func add(_ other: Counts) {
        rows += other.rows
        faults.merge(other.faults, uniquingKeysWith: +)
        verdicts &+= other.verdicts
        reasons &+= other.reasons
        duplicates &+= other.duplicates
    }
}

extension Reason.Code {
    /// Index among all codes.
    var place: Int {
        switch self {
        case .tooShort: 0
        case .tooLong: 1
        case .invalidCharacter: 2
        case .leadingUnderscore: 3
        case .allDigits: 4
        case .reservedWord: 5
        case .lookalike: 6
        case .taken: 7
        case .ownerFull: 8
        }
    }
}
