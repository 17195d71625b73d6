import HandleRules
import Postgres

/// A value that the database stores as one letter. A letter never changes, because rows have it.
protocol StoredByLetter: CaseIterable, RawRepresentable<String> {
    var code: UInt8 { get }
}

extension StoredByLetter {
    /// ``code`` as text.
    var letter: String { String(Unicode.Scalar(code)) }

    init?(code: UInt8) {
        guard let value = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = value
    }

    /// SQL that gives the words for the letters in a column.
    static func words(for column: String) -> String {
        "CASE \(allCases.map { "WHEN \(column) = '\($0.letter)' THEN '\($0.rawValue)'" }.joined(separator: " ")) END"
    }
}

extension Handle.State: StoredByLetter {
    /// The first letter of the word.
    var code: UInt8 { rawValue.utf8.first ?? 0 }
}

extension Event.Action: StoredByLetter {
    /// Another letter than the first where two actions begin alike.
    var code: UInt8 {
        switch self {
        case .held: UInt8(ascii: "h")
        case .claimed: UInt8(ascii: "c")
        case .reserved: UInt8(ascii: "r")
        case .assigned: UInt8(ascii: "a")
        case .offered: UInt8(ascii: "f")
        case .recased: UInt8(ascii: "d")
        case .released: UInt8(ascii: "l")
        case .renamed: UInt8(ascii: "n")
        case .forwardEnded: UInt8(ascii: "w")
        case .moved: UInt8(ascii: "m")
        case .expired: UInt8(ascii: "e")
        case .orphaned: UInt8(ascii: "o")
        case .reverted: UInt8(ascii: "v")
        case .imported: UInt8(ascii: "i")
        }
    }
}

extension RowReader {
    /// - Throws: ``PostgresError`` `.unreadable`.
    mutating func state() throws(PostgresError) -> Handle.State {
        // Without an array of all cases: checks read many.
        switch try letter() {
        case UInt8(ascii: "f"): return .free
        case UInt8(ascii: "h"): return .held
        case UInt8(ascii: "c"): return .claimed
        case UInt8(ascii: "r"): return .reserved
        case UInt8(ascii: "q"): return .quarantined
        default: throw .foreignRow
        }
    }
}

extension PostgresError {
    static let foreignRow = PostgresError(
        .unreadable, "the tables of names and events have a row that no version of this program wrote")
}
