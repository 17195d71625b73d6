/// Rows for one table in the binary format of COPY, which is by far the fastest way to insert.
package struct CopyRows: Sendable {
    /// `COPY … FROM STDIN (FORMAT binary)`, with the columns listed.
    package let sql: String
    private let columnCount: Int16
    /// A header, and the fields of each row after their number.
    var fields = Parameters()
    /// The number of rows.
    package internal(set) var count = 0

    /// - Parameters:
    ///   - table: its name.
    ///   - columns: in the order of the fields of each row.
    package init(table: StaticString, columns: [StaticString], reservingCapacity capacity: Int = 0) {
        sql = "COPY \(table) (\(columns.map(\.description).joined(separator: ", "))) FROM STDIN (FORMAT binary)"
        columnCount = Int16(columns.count)
        fields.bytes.reserveCapacity(capacity)
        // The signature, no flags, no extension.
        fields.bytes += "PGCOPY\n".utf8
        fields.bytes += [0xFF, 0x0D, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]
    }

    /// - Parameter add: adds the fields, one for each column.
    package mutating func addRow(_ add: (inout Parameters) -> Void) {
        count += 1
        fields.bytes.appendBigEndian(columnCount)
        add(&fields)
    }
}
