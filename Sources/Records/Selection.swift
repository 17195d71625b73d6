/// What to read of a file.
package struct Selection: Hashable, Sendable {
    package enum Column: Hashable, Sendable {
        /// The column of this name in the header; for JSON a key, or a path of keys such as `user.name`.
        case name(String)
        /// The column of this number, the first being 1.
        case number(Int)
        /// The column that usually holds the name: the first that is there of ``Selection/usualNames``, or the only one.
        case usual
        /// The column of this name where there is one; else no record has the field.
        case optional(String)
    }

    /// How the records are written; nil when that is to be found out.
    package var format: Format?
    /// The columns wanted, in the order in which ``Records/cells`` has them.
    package var columns: [Column]
    /// Whether the first record is a header; nil when that is to be found out.
    package var header: Bool?
    /// What stands between fields, in place of the comma or tab of the format.
    package var separator: UInt8?

    package init(
        format: Format? = nil, columns: [Column] = [.usual], header: Bool? = nil, separator: UInt8? = nil
    ) {
        self.format = format
        self.columns = columns.isEmpty ? [.usual] : columns
        self.header = header
        self.separator = separator
    }

    /// What the column with the names is usually called, the likeliest first.
    package static let usualNames = [
        "handle", "username", "user_name", "login", "screen_name", "nickname", "nick", "user", "name",
    ]

    /// What only a header says, besides ``usualNames``.
    static let headerNames = Set(
        usualNames + ["display", "owner", "reason", "until", "id", "email", "user_id", "userid"])

    /// Whether a column is chosen by its name, which takes a header.
    var namesColumns: Bool {
        columns.contains { if case .name = $0 { true } else { false } }
    }

    /// The columns that a file must have.
    var requiredColumns: [Column] {
        columns.filter { if case .optional = $0 { false } else { true } }
    }
}
