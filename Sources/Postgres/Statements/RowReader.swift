import CLibpq
package import struct FoundationEssentials.Date

/// Reads the columns of one row in order, from PostgreSQL's binary format.
///
/// Every reader throws ``PostgresError`` `.unreadable` when the column is missing, has another length, or is NULL where
/// the type read is not optional.
package struct RowReader {
    private let result: OpaquePointer
    private let row: Int32
    private var column: Int32 = 0

    init(result: OpaquePointer, row: Int32) {
        self.result = result
        self.row = row
    }

    package mutating func text() throws(PostgresError) -> String { try required(optionalText()) }
    package mutating func integer() throws(PostgresError) -> Int64 { try required(optionalInteger()) }
    package mutating func boolean() throws(PostgresError) -> Bool { try required(optionalBoolean()) }
    package mutating func date() throws(PostgresError) -> Date { try required(optionalDate()) }

    package mutating func optionalText() throws(PostgresError) -> String? {
        try next().map { String(decoding: $0, as: UTF8.self) }
    }

    /// `text` read by the caller, for types that can be decoded without a string.
    package mutating func text<Value>(
        as read: (UnsafeBufferPointer<UInt8>) -> Value
    ) throws(PostgresError) -> Value { read(try required(next())) }

    /// The same; nil for NULL.
    package mutating func optionalText<Value>(
        as read: (UnsafeBufferPointer<UInt8>) -> Value
    ) throws(PostgresError) -> Value? { try next().map(read) }

    /// `bigint`, `integer` or `smallint`.
    package mutating func optionalInteger() throws(PostgresError) -> Int64? {
        guard let bytes = try next() else { return nil }
        switch bytes.count {
        case 8: return Self.bigEndian(bytes, Int64.self)
        case 4: return Int64(Self.bigEndian(bytes, Int32.self))
        case 2: return Int64(Self.bigEndian(bytes, Int16.self))
        default: throw unreadable("is not an integer")
        }
    }

    package mutating func optionalBoolean() throws(PostgresError) -> Bool? {
        guard let bytes = try next() else { return nil }
        guard bytes.count == 1 else { throw unreadable("is not a boolean") }
        return bytes[0] != 0
    }

    /// `timestamptz`, of the years from 1 to 9999.
    package mutating func optionalDate() throws(PostgresError) -> Date? {
        guard let bytes = try next() else { return nil }
        guard bytes.count == 8 else { throw unreadable("is not a timestamptz") }
        guard let date = Date(postgresMicroseconds: Self.bigEndian(bytes, Int64.self)) else { throw unwritable }
        return date
    }

    /// `bytea`.
    package mutating func bytes() throws(PostgresError) -> [UInt8] { try required(optionalBytes()) }
    package mutating func optionalBytes() throws(PostgresError) -> [UInt8]? { try next().map { Array($0) } }

    /// `text[]` of one dimension without NULLs.
    package mutating func texts() throws(PostgresError) -> [String] { try required(optionalTexts()) }

    /// The same; nil for NULL.
    package mutating func optionalTexts() throws(PostgresError) -> [String]? {
        try elements { element in String(decoding: element, as: UTF8.self) }?.map { text throws(PostgresError) in
            try required(text)
        }
    }

    /// `"char"`.
    package mutating func letter() throws(PostgresError) -> UInt8 {
        let bytes = try required(next())
        guard bytes.count == 1 else { throw unreadable("is not a letter") }
        return bytes[0]
    }

    /// `timestamptz[]` of one dimension, of the years from 1 to 9999.
    package mutating func dates() throws(PostgresError) -> [Date?] { try required(optionalDates()) }

    /// The same; nil for NULL.
    package mutating func optionalDates() throws(PostgresError) -> [Date?]? {
        try elements { element in Self.bigEndian(element, Int64.self) }?.map { element throws(PostgresError) in
            guard let element else { return nil }
            guard let date = Date(postgresMicroseconds: element) else { throw unwritable }
            return date
        }
    }

    /// The elements of an array, in the format that ``Parameters`` writes.
    private mutating func elements<Element>(
        _ read: (UnsafeBufferPointer<UInt8>) -> Element
    ) throws(PostgresError) -> [Element?]? {
        guard var rest = try next()?[...] else { return nil }
        func integer() throws(PostgresError) -> Int {
            guard rest.count >= 4 else { throw unreadable("is cut short") }
            defer { rest = rest.dropFirst(4) }
            return Int(Self.bigEndian(UnsafeBufferPointer(rebasing: rest.prefix(4)), Int32.self))
        }
        let dimensions = try integer()
        _ = (try integer(), try integer())
        guard dimensions > 0 else { return [] }
        let count = try integer()
        _ = try integer()
        guard dimensions == 1, count >= 0 else { throw unreadable("is not an array of one dimension") }
        var elements: [Element?] = []
        for _ in 0..<count {
            let length = try integer()
            guard length <= rest.count else { throw unreadable("is cut short") }
            elements.append(length < 0 ? nil : read(UnsafeBufferPointer(rebasing: rest.prefix(length))))
            rest = rest.dropFirst(max(0, length))
        }
        return elements
    }

    /// The bytes of the next column, or nil for NULL.
    private mutating func next() throws(PostgresError) -> UnsafeBufferPointer<UInt8>? {
        defer { column += 1 }
        guard column < PQnfields(result) else { throw unreadable("is missing") }
        if PQgetisnull(result, row, column) != 0 { return nil }
        let length = Int(PQgetlength(result, row, column))
        guard let value = PQgetvalue(result, row, column) else { throw unreadable("has no value") }
        return UnsafeBufferPointer(
            start: UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self), count: length)
    }

    private func required<Value>(_ value: Value?) throws(PostgresError) -> Value {
        guard let value else { throw unreadable("is NULL") }
        return value
    }

    private var unwritable: PostgresError {
        unreadable("is a timestamp that is infinite or not in the years 1 to 9999")
    }

    private func unreadable(_ problem: String) -> PostgresError {
        PostgresError(.unreadable, "column \(column) of the result \(problem)")
    }

    private static func bigEndian<Integer: FixedWidthInteger>(
        _ bytes: UnsafeBufferPointer<UInt8>, _: Integer.Type
    ) -> Integer {
        bytes.reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
    }
}
