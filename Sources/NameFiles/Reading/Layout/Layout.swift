import HandleRules

/// The layout of a file, detected before its first record: its format, and the positions of the chosen columns.
package struct Layout: Sendable {
    package let format: Format
    /// The fields of the header, without surrounding blanks; nil when there is no header.
    package var header: [String]?
    /// The position of each chosen column among the fields, from 0; ``noColumn`` for a missing optional column. For
    /// JSON, in which fields have no position, 0, 1, 2 ….
    package let columns: [Int]
    /// The names of the columns that are carried into the report. They are the last of ``columns``.
    var carried: [String] = []
    /// The position of a missing column.
    static let noColumn = -1
    /// The expected number of fields: that of the header, or of the first record without one.
    var fields = 1
    /// For JSON, the chosen fields.
    var paths: [Path] = []
    /// The member of an object that has the array, if there is one.
    var member: String?
    /// The maximum bytes of a record, without its line end.
    let longestRecord: Int
    /// How the file is understood, in a few lines for messages.
    package var note = ""

    /// A field of JSON objects.
    struct Path: Sendable {
        /// A key, or keys with dots between them.
        let keys: [UInt8]
        /// Whether the field may be missing in an object.
        let isOptional: Bool
        let values: Values

        /// The keys for messages and reports, without characters that could control a terminal.
        var text: String {
            String(String(decoding: keys, as: UTF8.self).unicodeScalars.filter { !$0.controlsText })
        }

        enum Values: Sendable {
            case texts
            /// Ids, which may be integers.
            case ids
            /// Any value, as it is written.
            case all
        }
    }
}
