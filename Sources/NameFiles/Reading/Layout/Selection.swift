/// The part of a file to read.
package struct Selection: Hashable, Sendable {
    package enum Column: Hashable, Sendable {
        /// The column of this name in the header; for JSON a key, or a path of keys such as `user.name`.
        case name(String)
        /// The column of this number, from 1.
        case number(Int)
        /// The column that usually contains the name: the first of ``Selection/usual`` that exists, or the only column.
        case usual
        /// The column of this name or of one that means the same.
        case meaning(String)
        /// The same, if it exists; otherwise no record has the field.
        case optional(String)

        /// Whether a file must have it.
        var isRequired: Bool { if case .optional = self { false } else { true } }
    }

    /// Columns that are only carried into the report.
    package enum Carried: Hashable, Sendable {
        case some([Column])
        /// All that have no other use.
        case all
    }

    /// The format of the records; nil to detect it.
    package var format: Format?
    /// The columns wanted, in the order of ``Records/cells``.
    package var columns: [Column]
    /// The use of each of ``columns``, in messages.
    package var roles = ["handle"]
    /// Names of the column with the handles, the likeliest first.
    var usual = HeaderWord.handle
    /// The indices in ``columns`` of those that contain ids: in JSON, they may be integers as well as strings.
    package var ids: Set<Int> = []
    /// Further columns, which are carried into the report.
    package var carried = Carried.some([])
    /// Whether the first record is a header; nil to detect it.
    package var header: Bool?
    /// The separator of fields, in place of the format's comma or tab.
    package var separator: UInt8?

    package init(
        format: Format? = nil, columns: [Column] = [.usual], header: Bool? = nil, separator: UInt8? = nil
    ) {
        self.format = format
        self.columns = columns.isEmpty ? [.usual] : columns
        self.header = header
        self.separator = separator
    }

    /// Whether a column is found by its name only, which requires a header.
    var namesColumns: Bool {
        var all = columns
        if case .some(let carried) = carried { all += carried }
        return all.contains {
            switch $0 {
            case .name, .meaning: true
            case .number, .usual, .optional: false
            }
        }
    }
}
