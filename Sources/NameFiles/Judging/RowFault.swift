/// The reason why a row has no readable name.
enum RowFault: Hashable, Sendable {
    case record(RecordFault)
    case notUTF8

    /// The code in reports.
    var name: String {
        switch self {
        case .record(let fault): fault.code
        case .notUTF8: "not_utf8"
        }
    }

    /// The code with its numbers.
    var code: String {
        switch self {
        case .record(.ragged(let fields, let expected)): "\(name):\(fields):\(expected)"
        case .record(.tooLong(let bytes)): "\(name):\(bytes)"
        default: name
        }
    }

    var message: String {
        switch self {
        case .record(let fault): fault.message
        case .notUTF8: "The name is not UTF-8; convert the file with iconv."
        }
    }
}
