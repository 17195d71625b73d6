/// A stretch of the input that holds whole records.
package struct Chunk: Sendable {
    /// The records, ``count`` bytes of them, and behind them at least ``padding`` zero bytes.
    package internal(set) var bytes: [UInt8] = []
    package internal(set) var count = 0

    /// In place of bytes: a record that was too long to be kept.
    var oversize: Oversize?
    /// Whether the input broke off here, so that a record without a line end is a part of one.
    var isCut = false

    /// A record that was skipped: its bytes without the line end, and its physical lines.
    struct Oversize: Hashable, Sendable {
        var bytes: Int
        var lines: Int
    }

    /// So many zero bytes follow the records, so that this many can be loaded at any place of a record.
    package static let padding = 16

    package init() {}

    /// The records, without the padding.
    package var records: ArraySlice<UInt8> { bytes[..<count] }

    /// Makes room for `capacity` bytes and the padding, and keeps what there is.
    mutating func reserve(_ capacity: Int) {
        let missing = capacity + Self.padding - bytes.count
        if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
    }

    /// Makes the first `count` bytes the records, and zero what follows them.
    mutating func end(at count: Int) {
        self.count = count
        for index in count..<count + Self.padding { bytes[index] = 0 }
    }
}
