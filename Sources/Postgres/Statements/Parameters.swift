package import struct FoundationEssentials.Date

/// Values in PostgreSQL's binary format, each after its length: the parameters of one execution, or the fields of
/// copied rows.
package struct Parameters: Sendable {
    /// The length of NULL is -1.
    var bytes: [UInt8] = []

    package init() {}

    /// `text`, `varchar`. It must not contain a NUL character, which the server refuses.
    package mutating func add(_ text: String?) {
        add(text) { bytes, text in bytes.append(contentsOf: text.utf8) }
    }

    /// `bigint`.
    package mutating func add(_ integer: Int64?) {
        add(integer) { bytes, integer in bytes.appendBigEndian(integer) }
    }

    /// `integer`.
    package mutating func add(short integer: Int32) {
        add(integer) { bytes, integer in bytes.appendBigEndian(integer) }
    }

    /// `boolean`.
    package mutating func add(_ boolean: Bool?) {
        add(boolean) { bytes, boolean in bytes.append(boolean ? 1 : 0) }
    }

    /// `timestamptz`, to the microsecond.
    package mutating func add(_ date: Date?) {
        add(date) { bytes, date in bytes.appendBigEndian(date.postgresMicroseconds) }
    }

    /// `interval`, as a number of microseconds.
    package mutating func add(_ duration: Duration?) {
        add(duration) { bytes, duration in
            let (seconds, attoseconds) = duration.components
            bytes.appendBigEndian(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
            bytes.appendBigEndian(Int32(0))  // days
            bytes.appendBigEndian(Int32(0))  // months
        }
    }

    /// `bytea`.
    package mutating func add(bytes: [UInt8]?) {
        add(bytes) { bytes, value in bytes.append(contentsOf: value) }
    }

    /// `"char"`.
    package mutating func add(letter: UInt8) {
        add(letter) { bytes, letter in bytes.append(letter) }
    }

    /// `bytea[]` of one dimension; nil is NULL.
    package mutating func add(_ values: [[UInt8]?]) {
        addArray(values, elementType: PostgresType.bytea) { bytes, value in bytes.append(contentsOf: value) }
    }

    /// `bigint[]` of one dimension; nil is NULL.
    package mutating func add(_ integers: [Int64?]) {
        addArray(integers, elementType: PostgresType.bigint) { bytes, integer in bytes.appendBigEndian(integer) }
    }

    /// `text[]` of one dimension; nil is NULL.
    package mutating func add(_ texts: [String?]?) {
        addArray(texts, elementType: PostgresType.text) { bytes, text in bytes.append(contentsOf: text.utf8) }
    }

    /// `timestamptz[]` of one dimension; nil is NULL.
    package mutating func add(_ dates: [Date?]?) {
        addArray(dates, elementType: PostgresType.timestamptz) { bytes, date in
            bytes.appendBigEndian(date.postgresMicroseconds)
        }
    }

    /// `text`, written by the caller.
    package mutating func add(text write: (inout [UInt8]) -> Void) { bytes.appendField(write) }

    /// `text[]` of one dimension without NULLs, each element written by the caller.
    package mutating func addTexts<Elements: Collection>(
        _ elements: Elements, _ write: (inout [UInt8], Elements.Element) -> Void
    ) {
        bytes.reserveCapacity(bytes.count + 24 + elements.count * 20)
        bytes.appendField { bytes in
            bytes.appendArrayHeader(count: elements.count, hasNulls: false, elementType: PostgresType.text)
            for element in elements { bytes.appendField { write(&$0, element) } }
        }
    }

    /// NULL, of any type.
    package mutating func addNull() { bytes.appendBigEndian(Int32(-1)) }

    private mutating func addArray<Element>(
        _ elements: [Element?]?, elementType: Int32, _ append: (inout [UInt8], Element) -> Void
    ) {
        add(elements) { bytes, elements in bytes.appendArray(elements, elementType: elementType, append) }
    }

    private mutating func add<Value>(_ value: Value?, _ append: (inout [UInt8], Value) -> Void) {
        guard let value else { return addNull() }
        bytes.appendField { append(&$0, value) }
    }

    /// The arrays for libpq: pointers, lengths and formats, all valid during the call.
    func withArrays<Result>(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            var (values, lengths): ([UnsafePointer<CChar>?], [Int32]) = ([], [])
            var place = 0
            while place < buffer.count {
                let length = Int32(bigEndian: buffer.loadUnaligned(fromByteOffset: place, as: Int32.self))
                let value = buffer.baseAddress?.advanced(by: place + 4).assumingMemoryBound(to: CChar.self)
                values.append(length < 0 ? nil : value)
                lengths.append(max(0, length))
                place += 4 + max(0, Int(length))
            }
            return body(values, lengths, values.map { _ in 1 })
        }
    }
}
