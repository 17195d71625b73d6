package import struct FoundationEssentials.Date

// PostgreSQL's binary format, used for parameters and for copied rows.

/// The OIDs of the element types of arrays.
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

    /// Appends the length of what `append` appends, and then its bytes.
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

    /// The number of dimensions, a flag for NULLs, the element type, the count and the first index.
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
    /// The dates that can be written and read: those that RFC 3339 can express, to the last whole second.
    package static let writable =
        Date(timeIntervalSince1970: firstSecond)...Date(timeIntervalSince1970: lastSecond)
    private static let firstSecond: Double = -62_135_596_800
    private static let lastSecond: Double = 253_402_300_799

    /// A `Date` counts from 2001-01-01. Counted from another time, a distant date would change when it is read again.
    private static let referenceEpoch: Int64 = 978_307_200

    /// PostgreSQL counts from 2000-01-01, which is this many seconds after 1970-01-01.
    private static let postgresEpoch: Int64 = 946_684_800

    /// Microseconds since 1970, rounded to the nearest. A date that is not ``writable`` becomes the closest one that
    /// is.
    package var microsecondsSince1970: Int64 {
        let epoch = Double(Self.referenceEpoch)
        // With the arguments in this order NaN becomes the first date.
        let seconds = min(max(Self.firstSecond - epoch, timeIntervalSinceReferenceDate), Self.lastSecond - epoch)
        // Computed separately, because a Double can't hold all the microseconds of a distant date.
        let whole = seconds.rounded(.down)
        return (Int64(whole) + Self.referenceEpoch) * 1_000_000 + Int64(((seconds - whole) * 1_000_000).rounded())
    }

    package init(microsecondsSince1970 microseconds: Int64) {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        self.init(timeIntervalSinceReferenceDate: Double(seconds - Self.referenceEpoch) + Double(rest) / 1_000_000)
    }

    /// True if the database stores both dates as the same moment.
    package func isSameMoment(as other: Date) -> Bool { microsecondsSince1970 == other.microsecondsSince1970 }

    var postgresMicroseconds: Int64 { microsecondsSince1970 - Self.postgresEpoch * 1_000_000 }

    /// Returns nil for infinity, and for dates that are not ``writable``.
    init?(postgresMicroseconds: Int64) {
        let (microseconds, isOver) = postgresMicroseconds.addingReportingOverflow(Self.postgresEpoch * 1_000_000)
        self.init(microsecondsSince1970: microseconds)
        guard !isOver, Self.writable.contains(self) else { return nil }
    }
}

extension Date? {
    package func isSameMoment(as other: Date?) -> Bool { self?.microsecondsSince1970 == other?.microsecondsSince1970 }
}
