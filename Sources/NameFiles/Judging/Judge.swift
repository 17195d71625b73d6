import HandleCore
import HandleRegistry
import HandleText
import RecordFiles

/// Checks the names of a chunk against the rules of form and the reserved words. Chunks can be judged in parallel.
struct Judge: Sendable {
    let layout: Layout
    let words: ReservedWords
    let fingerprinter: Fingerprinter
    private let scans: Bool

    /// - Parameter scans: whether to read names with vector instructions. The processor must have them.
    init(
        layout: Layout, words: ReservedWords, fingerprinter: Fingerprinter? = nil, scans: Bool = NameScanner.isAvailable
    ) {
        var random = SystemRandomNumberGenerator()
        self.layout = layout
        self.words = words
        self.scans = scans
        self.fingerprinter = fingerprinter ?? Fingerprinter(using: &random)
    }

    func judge(_ chunk: Chunk) -> JudgedChunk {
        var judged = JudgedChunk(chunk, layout, words)
        let count = judged.records.count
        judged.rows = [Row](repeating: Row(), count: count)
        var block = NameBlock(scans: scans)
        judged.chunk.bytes.withUnsafeBufferPointer { bytes in
            judged.records.cells[0].withUnsafeBufferPointer { cells in
                judged.rows.withUnsafeMutableBufferPointer { rows in
                    for start in stride(from: 0, to: count, by: NameBlock.size) {
                        let range = start..<min(start + NameBlock.size, count)
                        block.read(UnsafeBufferPointer(rebasing: cells[range]), in: bytes)
                        let some = UnsafeMutableBufferPointer(rebasing: rows[range])
                        read(&block, some, from: start, judged.records, bytes, &judged.readings)
                        block.find(in: words)
                        take(block, some, from: start, &judged.names)
                    }
                }
            }
        }
        return judged
    }

    /// Fills the rows of a block with their names.
    private func read(
        _ block: inout NameBlock, _ rows: UnsafeMutableBufferPointer<Row>, from start: Int, _ records: Records,
        _ bytes: UnsafeBufferPointer<UInt8>, _ readings: inout [Reading]
    ) {
        let hasFaults = !records.isFaultless
        for index in rows.indices {
            if hasFaults, records.fault(start + index) != nil {
                rows[index].kind = .unreadable
            } else if let reading = block.reading(index) {
                rows[index].take(reading.letters, reading.length, reading.broken)
                continue
            } else if let name = records.cells[0][start + index].range {
                take(other: UnsafeBufferPointer(rebasing: bytes[name]), &rows[index], &readings)
            } else {
                rows[index].kind = .unreadable
            }
            block.set(index, rows[index].letters)
        }
    }

    /// Reads a name that the block did not read.
    private func take(other name: UnsafeBufferPointer<UInt8>, _ row: inout Row, _ readings: inout [Reading]) {
        if let reading = PlainReading(ascii: name) {
            row.take(reading.letters, reading.length, reading.broken)
        } else {
            take(unusual: name, &row, &readings)
        }
    }

    /// Reads a name that is not plain: with characters besides letters, digits and underscores.
    private func take(unusual name: UnsafeBufferPointer<UInt8>, _ row: inout Row, _ readings: inout [Reading]) {
        guard let reading = Reading(typed: name) else {
            row.kind = .unreadable
            return
        }
        row.take(reading.spelling ?? PackedASCII(), reading.length, reading.broken)
        // Normalising can turn other characters, such as full-width letters, into plain ones. The empty spelling of
        // pure white space is excluded: it must not be read again as ASCII.
        if let spelling = reading.spelling, !spelling.isEmpty { return }
        row.kind = .unusual
        row.place = Int32(truncatingIfNeeded: readings.count)
        readings.append(reading)
    }

    /// Adds the reserved words of a block to its rows, and the fingerprints of its well-formed names to `names`.
    @inline(__always)
    private func take(
        _ block: borrowing NameBlock, _ rows: UnsafeMutableBufferPointer<Row>, from start: Int,
        _ names: inout [IndexedName]
    ) {
        for index in rows.indices where !rows[index].letters.isEmpty {
            rows[index].place = block.place(index)
            guard rows[index].broken.isEmpty else { continue }
            names.append(
                IndexedName(
                    row: Int32(truncatingIfNeeded: start + index),
                    fingerprint: block.fingerprint(index, by: fingerprinter)))
        }
    }
}

/// The fingerprint of a well-formed name, with its row.
struct IndexedName: Sendable {
    let row: Int32
    let fingerprint: Fingerprint
}

extension Row {
    @inline(__always)
    fileprivate mutating func take(_ letters: PackedASCII, _ length: Int, _ broken: Reading.Form) {
        self.letters = letters
        self.length = Int32(truncatingIfNeeded: length)
        self.broken = broken
    }
}
