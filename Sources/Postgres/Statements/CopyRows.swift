package import struct FoundationEssentials.Date

/// Rows for one table in the binary format of COPY, which is by far the fastest way to insert.
package struct CopyRows: Sendable {
    /// `COPY … FROM STDIN (FORMAT binary)`, with the columns listed.
    package let sql: String
    var bytes: [UInt8] = []
    /// The place of the first row in `bytes`.
    let rowStart: Int
    /// The number of rows.
    package internal(set) var count = 0

    /// - Parameters:
    ///   - table: its name.
    ///   - columns: in the order of the fields of each row.
    package init(table: StaticString, columns: [StaticString], reservingCapacity capacity: Int = 0) {
        sql = "COPY \(table) (\(columns.map(\.description).joined(separator: ", "))) FROM STDIN (FORMAT binary)"
        columnCount = Int16(columns.count)
        bytes.reserveCapacity(capacity)
        // The signature, no flags, no extension.
        bytes += "PGCOPY\n".utf8
        bytes += [0xFF, 0x0D, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]
        rowStart = bytes.count
    }

    private let columnCount: Int16

    /// Begins a row. Its fields follow, one for each column.
    package mutating func beginRow() {
        count += 1
        bytes.appendBigEndian(columnCount)
    }

    /// `text`; nil is NULL.
    package mutating func add(_ text: String?) {
        guard let text else { return addNull() }
        bytes.appendBigEndian(Int32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// `text` or `bytea`, written by the caller.
    package mutating func add(bytes write: (inout [UInt8]) -> Void) {
        bytes.appendField(write)
    }

    /// `bigint`.
    package mutating func add(_ integer: Int64) {
        bytes.appendBigEndian(Int32(8))
        bytes.appendBigEndian(integer)
    }

    /// `integer`.
    package mutating func add(_ integer: Int32) {
        bytes.appendBigEndian(Int32(4))
        bytes.appendBigEndian(integer)
    }

    /// `"char"`.
    package mutating func add(letter: UInt8) {
        bytes.appendBigEndian(Int32(1))
        bytes.append(letter)
    }

    /// `timestamptz`, to the microsecond; nil is NULL.
    package mutating func add(_ date: Date?) {
        guard let date else { return addNull() }
        add(date.postgresMicroseconds)
    }

    /// `text[]` of one dimension; nil is NULL.
    package mutating func add(_ texts: [String]?) {
        guard let texts else { return addNull() }
        bytes.appendField { bytes in
            bytes.appendArray(texts, elementType: PostgresType.text) { $0.append(contentsOf: $1.utf8) }
        }
    }

    /// `timestamptz[]` of one dimension, to the microsecond; nil is NULL.
    package mutating func add(_ dates: [Date?]?) {
        guard let dates else { return addNull() }
        bytes.appendField { bytes in
            bytes.appendArray(dates, elementType: PostgresType.timestamptz) {
                $0.appendBigEndian($1.postgresMicroseconds)
            }
        }
    }

    package mutating func addNull() { bytes.appendBigEndian(Int32(-1)) }
}
