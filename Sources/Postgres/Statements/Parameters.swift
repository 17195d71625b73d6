package import struct FoundationEssentials.Date

/// The parameters of one execution, in PostgreSQL's binary format.
package struct Parameters: Sendable {
    private var bytes: [UInt8] = []
    /// The start and length of each parameter; a negative length is NULL.
    private var spans: [(start: Int, length: Int32)] = []

    package init() {}

    var count: Int { spans.count }

    /// `text`, `varchar`. It must not contain a NUL character, which the server refuses.
    package mutating func add(_ text: String?) {
        add(text) { bytes, text in bytes.append(contentsOf: text.utf8) }
    }

    /// `bigint`.
    package mutating func add(_ integer: Int64?) {
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

    /// `bytea[]` of one dimension; nil is NULL.
    package mutating func add(_ values: [[UInt8]?]) {
        addArray(values, elementType: PostgresType.bytea) { bytes, value in bytes.append(contentsOf: value) }
    }

    /// `bigint[]` of one dimension.
    package mutating func add(_ integers: [Int64]) {
        addArray(integers, elementType: PostgresType.bigint) { bytes, integer in bytes.appendBigEndian(integer) }
    }

    /// `text[]` of one dimension; nil is NULL.
    package mutating func add(_ texts: [String?]) {
        addArray(texts, elementType: PostgresType.text) { bytes, text in bytes.append(contentsOf: text.utf8) }
    }

    /// `timestamptz[]` of one dimension; nil is NULL.
    package mutating func add(_ dates: [Date?]?) {
        guard let dates else { return addNull() }
        addArray(dates, elementType: PostgresType.timestamptz) { bytes, date in
            bytes.appendBigEndian(date.postgresMicroseconds)
        }
    }

    /// `text`, written by the caller.
    package mutating func add(text write: (inout [UInt8]) -> Void) {
        add(()) { bytes, _ in write(&bytes) }
    }

    /// `text[]` of one dimension without NULLs, each element written by the caller.
    package mutating func addTexts<Elements: Collection>(
        _ elements: Elements, _ write: (inout [UInt8], Elements.Element) -> Void
    ) {
        let start = bytes.count
        bytes.reserveCapacity(start + 20 + elements.count * 20)
        bytes.appendArrayHeader(count: elements.count, hasNulls: false, elementType: PostgresType.text)
        for element in elements { bytes.appendField { write(&$0, element) } }
        spans.append((start, Int32(bytes.count - start)))
    }

    /// NULL, of any type.
    package mutating func addNull() { spans.append((bytes.count, -1)) }

    /// `"char"`.
    package mutating func add(letter: UInt8) {
        add(letter) { bytes, letter in bytes.append(letter) }
    }

    private mutating func addArray<Element>(
        _ elements: [Element?], elementType: Int32, _ append: (inout [UInt8], Element) -> Void
    ) {
        let start = bytes.count
        bytes.appendArray(elements, elementType: elementType, append)
        spans.append((start, Int32(bytes.count - start)))
    }

    private mutating func add<Value>(_ value: Value?, _ append: (inout [UInt8], Value) -> Void) {
        let start = bytes.count
        if let value {
            append(&bytes, value)
            spans.append((start, Int32(bytes.count - start)))
        } else {
            addNull()
        }
    }

    /// The arrays for libpq: pointers, lengths and formats, all valid during the call.
    func withArrays<Result>(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
        // An empty buffer may have no address, and libpq takes a null pointer for NULL: a spare byte ensures an
        // address.
        var bytes = bytes
        bytes.append(0)
        return bytes.withUnsafeBytes { buffer in
            let values = spans.map { span in
                span.length < 0 ? nil : buffer.baseAddress?.advanced(by: span.start).assumingMemoryBound(to: CChar.self)
            }
            return body(values, spans.map { max(0, $0.length) }, spans.map { _ in 1 })
        }
    }
}
