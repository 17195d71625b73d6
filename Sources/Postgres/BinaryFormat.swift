import struct FoundationEssentials.Date

// PostgreSQL's binary format, in which parameters are sent and rows are copied.

/// The OIDs of the types that arrays are made of.
enum PostgresType {
    static let bytea: Int32 = 17
    static let bigint: Int32 = 20
    static let text: Int32 = 25
    static let timestamptz: Int32 = 1184
}

extension [UInt8] {
    mutating func appendBigEndian(_ integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
    }

    /// What `append` appends, its length before it.
    mutating func appendField(_ append: (inout [UInt8]) -> Void) {
        let place = count
        appendBigEndian(Int32(0))
        append(&self)
        let length = UInt32(count - place - 4)
        for index in 0..<4 { self[place + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index)) }
    }

    /// An array of one dimension: a header, then each element with its length; nil is NULL.
    mutating func appendArray<Value>(
        _ elements: [Value?], elementType: Int32, _ append: (inout [UInt8], Value) -> Void
    ) {
        appendArrayHeader(count: elements.count, hasNulls: elements.contains { $0 == nil }, elementType: elementType)
        for element in elements {
            if let element { appendField { append(&$0, element) } } else { appendBigEndian(Int32(-1)) }
        }
    }

    /// Dimensions, whether there are NULLs, the element type, the count and the first index.
    mutating func appendArrayHeader(count: Int, hasNulls: Bool, elementType: Int32) {
        appendBigEndian(Int32(count == 0 ? 0 : 1))
        appendBigEndian(Int32(hasNulls ? 1 : 0))
        appendBigEndian(elementType)
        guard count > 0 else { return }
        appendBigEndian(Int32(count))
        appendBigEndian(Int32(1))
    }
}

extension Date {
    /// PostgreSQL counts from 2000-01-01, which is this many seconds after 1970-01-01.
    private static let postgresEpoch: Double = 946_684_800

    var postgresMicroseconds: Int64 {
        Int64(((timeIntervalSince1970 - Self.postgresEpoch) * 1_000_000).rounded())
    }

    init(postgresMicroseconds: Int64) {
        self.init(timeIntervalSince1970: Self.postgresEpoch + Double(postgresMicroseconds) / 1_000_000)
    }
}
