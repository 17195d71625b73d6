import HandleCore
import HandleRegistry
import HandleText
import RecordFiles

/// Checks the names of a chunk against the rules of form and the reserved words. Chunks can be judged in parallel.
struct Judge: Sendable {
    let layout: Layout
    let words: ReservedWords
    let fingerprinter: Fingerprinter

    /// Names in one look-up of reserved words.
    private static let block = 64

    init(layout: Layout, words: ReservedWords, fingerprinter: Fingerprinter? = nil) {
        var random = SystemRandomNumberGenerator()
        self.layout = layout
        self.words = words
        self.fingerprinter = fingerprinter ?? Fingerprinter(using: &random)
    }

    func judge(_ chunk: Chunk) -> JudgedChunk {
        var judged = JudgedChunk(chunk, layout, words)
        let count = judged.records.count
        judged.rows = [Row](repeating: Row(), count: count)
        let hasFaults = !judged.records.isFaultless
        var block = Block(size: Self.block)
        judged.chunk.bytes.withUnsafeBufferPointer { bytes in
            judged.records.cells[0].withUnsafeBufferPointer { cells in
                judged.rows.withUnsafeMutableBufferPointer { rows in
                    for index in 0..<count {
                        let cell = cells[index]
                        if cell.count < 0 || hasFaults && judged.records.fault(index) != nil {
                            rows[index].kind = .unreadable
                            continue
                        }
                        let name = UnsafeBufferPointer(
                            rebasing: bytes[Int(cell.start)..<Int(cell.start) + Int(cell.count)])
                        if let reading = PlainReading(ascii: name) {
                            rows[index].take(reading.letters, reading.length, reading.broken)
                        } else {
                            take(unusual: name, &rows[index], &judged.readings)
                        }
                        guard !rows[index].letters.isEmpty else { continue }
                        block.add(rows[index].letters, index)
                        if block.isFull { find(&block, rows, &judged.names) }
                    }
                    find(&block, rows, &judged.names)
                }
            }
        }
        return judged
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

    /// Looks for reserved words among the names of a block, and adds the fingerprints of the well-formed ones.
    private func find(_ block: inout Block, _ rows: UnsafeMutableBufferPointer<Row>, _ names: inout [IndexedName]) {
        words.find(
            all: UnsafeBufferPointer(rebasing: block.handles[..<block.count]), places: block.places, keys: block.keys)
        for index in 0..<block.count {
            let row = block.rows[index]
            rows[row].place = block.places[index]
            guard rows[row].broken.isEmpty else { continue }
            let fingerprint = fingerprinter.fingerprint(
                rows[row].letters, handle: block.handles[index], key: LookalikeKey(stored: block.keys[index]))
            names.append(IndexedName(row: Int32(truncatingIfNeeded: row), fingerprint: fingerprint))
        }
        block.count = 0
    }
}

/// The fingerprint of a well-formed name, with its row.
struct IndexedName: Sendable {
    let row: Int32
    let fingerprint: Fingerprint
}

/// Names that wait for the look-up of reserved words.
private struct Block: ~Copyable {
    let size: Int
    var count = 0
    let rows: UnsafeMutableBufferPointer<Int>
    let handles: UnsafeMutableBufferPointer<PackedASCII>
    let places: UnsafeMutablePointer<Int32>
    let keys: UnsafeMutablePointer<PackedASCII>

    init(size: Int) {
        self.size = size
        rows = .allocate(capacity: size)
        handles = .allocate(capacity: size)
        places = .allocate(capacity: size)
        keys = .allocate(capacity: size)
        keys.initialize(repeating: PackedASCII(), count: size)
    }

    deinit {
        rows.deallocate()
        handles.deallocate()
        places.deallocate()
        keys.deallocate()
    }

    var isFull: Bool { count == size }

    @inline(__always)
    mutating func add(_ letters: PackedASCII, _ row: Int) {
        handles[count] = letters.lowercased
        rows[count] = row
        count += 1
    }
}

extension Row {
    @inline(__always)
    fileprivate mutating func take(_ letters: PackedASCII, _ length: Int, _ broken: Reading.Form) {
        self.letters = letters
        self.length = Int32(truncatingIfNeeded: length)
        self.broken = broken
    }
}
