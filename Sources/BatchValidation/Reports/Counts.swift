package import HandleCore

/// What was found in how many rows.
///
/// Kept in vectors, of which no more places are used than there are cases: to count a row takes no array.
package struct Counts: Sendable, Equatable {
    package var rows = 0
    /// By verdict; together they are the rows.
    private var verdicts = SIMD8<Int>()
    /// By reason; a row may have several.
    private var reasons = SIMD16<Int>()
    /// Rows that are duplicates of an earlier one, by kind.
    private var duplicates = SIMD8<Int>()

    /// Rows that are unreadable, by why; see ``RowFault``.
    package var faults: [String: Int] = [:]

    package subscript(verdict: RowVerdict) -> Int { verdicts[Int(verdict.rawValue)] }
    package subscript(reason: Reason.Code) -> Int { reasons[reason.place] }
    package subscript(duplicate: Duplicate) -> Int { duplicates[Int(duplicate.rawValue)] }

    /// Whether the input ends in the middle of a record, as a file that was cut does.
    package var endsInsideRecord: Bool { faults["unclosed_quote"] != nil || faults["cut_row"] != nil }

    /// Rows that can't be taken as they are.
    package var refused: Int { rows - self[.valid] }

    mutating func note(_ verdict: RowVerdict, _ duplicate: Duplicate) {
        rows += 1
        verdicts[Int(verdict.rawValue)] += 1
        duplicates[Int(duplicate.rawValue)] += 1
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

/// What becomes of a row.
package enum RowVerdict: UInt8, Sendable, CaseIterable {
    /// The name can be taken as it is.
    case valid
    /// It breaks a rule of form.
    case invalid
    /// It is well formed, but reserved or somebody's.
    case unavailable
    /// An earlier row has the same name.
    case duplicate
    /// There is no name in the row that could be read.
    case unreadable

    /// What reports call it.
    package var code: StaticString {
        switch self {
        case .valid: "valid"
        case .invalid: "invalid"
        case .unavailable: "unavailable"
        case .duplicate: "duplicate"
        case .unreadable: "unreadable"
        }
    }
}

extension Reason.Code {
    /// The place in a list of all codes.
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
