/// A fault of one record, because of which it has no readable name. It does not affect the other records.
package enum RecordFault: Hashable, Sendable {
    /// A blank line, or a record of which all fields are blank. It is counted, and not refused.
    case empty
    /// The number of fields differs from that of the header, or of the first record if there is no header.
    case ragged(fields: Int, expected: Int)
    /// Longer than the limit; `bytes` is the length without the line end. It has no cells.
    case tooLong(bytes: Int)
    /// The input ends inside a quoted field. The cells contain the part that was read.
    case unclosedQuote
    /// The input ends inside the record, such as in damaged compressed data. The cells contain the part that was read.
    case cut
    /// Not one JSON object, or not valid UTF-8.
    case notJSON
    /// The object has no such field.
    case noSuchField
    /// The object has the field twice.
    case repeatedField
    /// The field of the object is not a string.
    case notText(JSONKind)
    /// The name is not valid UTF-8.
    case notUTF8

    /// A stable name, for programs.
    package var code: String {
        switch self {
        case .empty: "empty_row"
        case .ragged: "ragged_row"
        case .tooLong: "row_too_long"
        case .unclosedQuote: "unclosed_quote"
        case .cut: "cut_row"
        case .notJSON: "not_json"
        case .noSuchField: "no_such_field"
        case .repeatedField: "repeated_field"
        case .notText: "not_text"
        case .notUTF8: "not_utf8"
        }
    }

    /// The code with its numbers.
    var numberedCode: String {
        switch self {
        case .ragged(let fields, let expected): "\(code):\(fields):\(expected)"
        case .tooLong(let bytes): "\(code):\(bytes)"
        default: code
        }
    }

    /// One sentence for people.
    package var message: String {
        switch self {
        case .empty: "The line is blank."
        case .ragged(let fields, let expected): "The record has \(fields.counted("field")) where \(expected) belong."
        case .tooLong(let bytes):
            "The record is too long (\(bytes) bytes); where fields are quoted, a quote may not have been closed."
        case .unclosedQuote: "A quote that begins in this record is never closed."
        case .cut: "The input ends in the middle of this record."
        case .notJSON: "The line is not one valid JSON object."
        case .noSuchField: "The object has no such field."
        case .repeatedField: "The object has the field twice."
        case .notText(let kind): "The field holds \(kind.description), not a string."
        case .notUTF8: "The name is not UTF-8; convert the file with iconv."
        }
    }
}

/// The type of a JSON value.
package enum JSONKind: Hashable, Sendable, CustomStringConvertible {
    case string, number, boolean, null, object, array

    package var description: String {
        switch self {
        case .string: "a string"
        case .number: "a number"
        case .boolean: "true or false"
        case .null: "null"
        case .object: "an object"
        case .array: "an array"
        }
    }
}

extension Int {
    /// `1 field`, `2 fields`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
