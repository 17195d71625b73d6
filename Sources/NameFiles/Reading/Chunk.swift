/// A part of the input that contains whole records.
package struct Chunk: Sendable {
    /// The records, ``count`` bytes of them, followed by at least ``padding`` zero bytes.
    var bytes: [UInt8] = []
    var count = 0

    /// In place of bytes: a record that was too long to be kept.
    var oversize: Oversize?
    /// Whether the input broke off here, so that a last record without a line end is incomplete.
    var isCut = false

    /// A record that was skipped: its bytes without the line end, and its physical lines.
    struct Oversize: Hashable, Sendable {
        var bytes: Int
        var lines: Int
        /// Line ends before an element of an array.
        var linesBefore = 0
    }

    /// The number of zero bytes after the records, so that this many bytes can be loaded at any position of a record.
    static let padding = 16

    init() {}

    /// A chunk of these records.
    init(_ records: ArraySlice<UInt8>) {
        bytes = records + [UInt8](repeating: 0, count: Self.padding)
        count = records.count
    }

    /// Whether there is an element of a JSON array, and not only its end.
    var hasElement: Bool { bytes[..<count].first { !$0.isBlank }.map { $0 != UInt8(ascii: "]") } ?? false }

    /// Calls `body` with the bytes, for searching.
    func search<Result>(_ body: (ByteSearch) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("the padding makes it not empty") }
            return body(ByteSearch(base))
        }
    }

    /// Makes room for `capacity` bytes and the padding, and keeps the content.
    mutating func reserve(_ capacity: Int) {
        let missing = capacity + Self.padding - bytes.count
        if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
    }

    /// Makes the first `count` bytes the records, and zeroes the bytes after them.
    mutating func end(at count: Int) {
        self.count = count
        for index in count..<count + Self.padding { bytes[index] = 0 }
    }
}
