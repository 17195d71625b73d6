public import struct FoundationEssentials.Date

/// The parameters of one execution, in PostgreSQL's binary format.
public struct Parameters: Sendable {
    private var bytes: [UInt8] = []
    /// Where each parameter begins and how long it is; a negative length is NULL.
    private var spans: [(start: Int, length: Int32)] = []

    public init() {}

    var count: Int { spans.count }

    /// `text`, `varchar`: the server refuses a NUL character, so have none.
    public mutating func add(_ text: String?) {
        add(text) { bytes, text in bytes.append(contentsOf: text.utf8) }
    }

    /// `bigint`.
    public mutating func add(_ integer: Int64?) {
        add(integer) { bytes, integer in bytes.appendBigEndian(integer) }
    }

    /// `boolean`.
    public mutating func add(_ boolean: Bool?) {
        add(boolean) { bytes, boolean in bytes.append(boolean ? 1 : 0) }
    }

    /// `timestamptz`, to the microsecond.
    public mutating func add(_ date: Date?) {
        add(date) { bytes, date in bytes.appendBigEndian(date.postgresMicroseconds) }
    }

    /// `interval`, as a number of microseconds.
    public mutating func add(_ duration: Duration?) {
        add(duration) { bytes, duration in
            let (seconds, attoseconds) = duration.components
            bytes.appendBigEndian(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
            bytes.appendBigEndian(Int32(0))  // days
            bytes.appendBigEndian(Int32(0))  // months
        }
    }

    /// `bytea`.
    public mutating func add(bytes: [UInt8]?) {
        add(bytes) { bytes, value in bytes.append(contentsOf: value) }
    }

    /// `bytea[]` of one dimension.
    public mutating func add(_ values: [[UInt8]]) {
        addArray(values, elementType: 17) { bytes, value in bytes.append(contentsOf: value) }
    }

    /// `bigint[]` of one dimension.
    public mutating func add(_ integers: [Int64]) {
        addArray(integers, elementType: 20) { bytes, integer in bytes.appendBigEndian(integer) }
    }

    /// `text[]` of one dimension; nil is NULL.
    public mutating func add(_ texts: [String?]) {
        addArray(texts, elementType: 25) { bytes, text in bytes.append(contentsOf: text.utf8) }
    }

    /// `timestamptz[]` of one dimension; nil is NULL.
    public mutating func add(_ dates: [Date?]) {
        addArray(dates, elementType: 1184) { bytes, date in bytes.appendBigEndian(date.postgresMicroseconds) }
    }

    /// `text`, written by the caller.
    public mutating func add(text write: (inout [UInt8]) -> Void) {
        add(()) { bytes, _ in write(&bytes) }
    }

    /// `text[]` of one dimension without NULLs, each element written by the caller.
    public mutating func addTexts<Elements: Collection>(
        _ elements: Elements, _ write: (inout [UInt8], Elements.Element) -> Void
    ) {
        let start = bytes.count
        bytes.reserveCapacity(start + 20 + elements.count * 20)
        addHeader(count: elements.count, hasNulls: false, elementType: 25)
        for element in elements { addElement { write(&$0, element) } }
        spans.append((start, Int32(bytes.count - start)))
    }

    /// An array of one dimension in the binary format: dimensions, whether there are NULLs, the element type, the
    /// count and the first index, then each element with its length.
    private mutating func addArray<Element>(
        _ elements: [Element?], elementType: Int32, _ append: (inout [UInt8], Element) -> Void
    ) {
        let start = bytes.count
        addHeader(count: elements.count, hasNulls: elements.contains { $0 == nil }, elementType: elementType)
        for element in elements {
            if let element { addElement { append(&$0, element) } } else { bytes.appendBigEndian(Int32(-1)) }
        }
        spans.append((start, Int32(bytes.count - start)))
    }

    private mutating func addHeader(count: Int, hasNulls: Bool, elementType: Int32) {
        bytes.appendBigEndian(Int32(count == 0 ? 0 : 1))
        bytes.appendBigEndian(Int32(hasNulls ? 1 : 0))
        bytes.appendBigEndian(elementType)
        guard count > 0 else { return }
        bytes.appendBigEndian(Int32(count))
        bytes.appendBigEndian(Int32(1))
    }

    /// An element of an array, its length before it.
    private mutating func addElement(_ append: (inout [UInt8]) -> Void) {
        let place = bytes.count
        bytes.appendBigEndian(Int32(0))
        append(&bytes)
        let length = Int32(bytes.count - place - 4)
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index)) }
    }

    private mutating func add<Value>(_ value: Value?, _ append: (inout [UInt8], Value) -> Void) {
        let start = bytes.count
        if let value {
            append(&bytes, value)
            spans.append((start, Int32(bytes.count - start)))
        } else {
            spans.append((start, -1))
        }
    }

    /// The arrays that libpq wants: pointers, lengths and formats, all valid during the call.
    func withArrays<Result>(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
        // An empty buffer may have no address, and a null pointer would mean NULL: one spare byte gives it one.
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

extension [UInt8] {
    mutating func appendBigEndian(_ integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
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
