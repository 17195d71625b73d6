public import struct FoundationEssentials.Date

/// Rows for one table in the binary format of COPY: by far the quickest way in.
public struct CopyRows: Sendable {
    /// `COPY … FROM STDIN (FORMAT binary)`, with the columns listed.
    public let sql: String
    private(set) var bytes: [UInt8] = []
    /// How many rows there are.
    public private(set) var count = 0

    /// - Parameters:
    ///   - table: its name.
    ///   - columns: in the order in which each row gives them.
    public init(table: StaticString, columns: [StaticString], reservingCapacity capacity: Int = 0) {
        sql = "COPY \(table) (\(columns.map(\.description).joined(separator: ", "))) FROM STDIN (FORMAT binary)"
        columnCount = Int16(columns.count)
        bytes.reserveCapacity(capacity)
        // The signature, no flags, no extension.
        bytes += "PGCOPY\n".utf8
        bytes += [0xFF, 0x0D, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]
    }

    private let columnCount: Int16

    /// Begins a row; its fields follow, one for each column.
    public mutating func beginRow() {
        count += 1
        bytes.appendBigEndian(columnCount)
    }

    /// `text`; nil is NULL.
    public mutating func add(_ text: String?) {
        guard let text else { return addNull() }
        bytes.appendBigEndian(Int32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// `text` or `bytea`, written by the caller.
    public mutating func add(bytes write: (inout [UInt8]) -> Void) {
        let place = bytes.count
        bytes.appendBigEndian(Int32(0))
        write(&bytes)
        let length = UInt32(bytes.count - place - 4)
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index)) }
    }

    /// `bigint`.
    public mutating func add(_ integer: Int64) {
        bytes.appendBigEndian(Int32(8))
        bytes.appendBigEndian(integer)
    }

    /// `timestamptz`, to the microsecond; nil is NULL.
    public mutating func add(_ date: Date?) {
        guard let date else { return addNull() }
        add(date.postgresMicroseconds)
    }

    /// An array without elements, of any type but this: `elementType` is its OID.
    public mutating func addEmptyArray(elementType: Int32) {
        bytes.appendBigEndian(Int32(12))
        bytes.appendBigEndian(Int32(0))
        bytes.appendBigEndian(Int32(0))
        bytes.appendBigEndian(elementType)
    }

    public mutating func addNull() { bytes.appendBigEndian(Int32(-1)) }

    /// The OIDs of the types that arrays are made of.
    public static let text: Int32 = 25
    public static let timestamptz: Int32 = 1184
}
