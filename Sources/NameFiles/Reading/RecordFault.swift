import HandleRegistry
import HandleRules

/// A fault of one record, because of which it can't be used. It does not affect the other records.
package enum RecordFault: Error, Hashable {
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
    case noSuchField(String)
    /// The object has the field twice.
    case repeatedField(String)
    /// The field of the object, or the element of the array (an empty name), is not a string.
    case notText(String, JSONKind)
    /// A field is not valid UTF-8.
    case notUTF8
    /// The owner is not a valid id.
    case badOwner
    /// The display handle is another name.
    case badDisplay
    /// There is no reason, or it is not one line of text.
    case badReason
    /// The last day is no day, or over.
    case badUntil(isOver: Bool)

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
        case .badOwner: "bad_owner"
        case .badDisplay: "bad_display"
        case .badReason: "bad_reason"
        case .badUntil: "bad_until"
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
        case .noSuchField(""): "The element is an object, where the first one is a string."
        case .noSuchField(let field): "The object has no field \(field)."
        case .repeatedField(let field): "The object has the field \(field) twice."
        case .notText("", let kind): "The element is \(kind.description), not a string or an object."
        case .notText(let field, .object):
            "The field \(field) holds an object, not a string: name a field in it, such as \(field).name."
        case .notText(let field, let kind): "The field \(field) holds \(kind.description), not a string."
        case .notUTF8: "The row is not UTF-8; convert the file with iconv."
        case .badOwner: "The owner is not \(Owner.rule)."
        case .badDisplay: "The display handle is not the same name: it may differ in capitals only."
        case .badReason: "The reason is missing or not a few words in one line."
        case .badUntil(isOver: false): "The last day is not a day such as 2027-12-31."
        case .badUntil(isOver: true): "The last day is over already."
        }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("code", code)
            json.member("message", message)
            switch self {
            case .ragged(let fields, let expected):
                json.member("fields", fields)
                json.member("expected", expected)
            case .tooLong(let bytes): json.member("bytes", bytes)
            case .noSuchField(let field), .repeatedField(let field), .notText(let field, _):
                json.member("field", field)
            default: break
            }
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
