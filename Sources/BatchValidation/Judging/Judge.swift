import HandleCore
import HandleRegistry
import HandleText
import Records

/// Judges the names of a chunk by their form and the reserved words. Chunks may be judged at the same time.
struct Judge: Sendable {
    let layout: Layout
    let words: ReservedWords
    let fingerprinter: Fingerprinter

    /// Names that are looked up together.
    private static let block = 64

    func judge(_ chunk: Chunk) -> JudgedChunk {
        var judged = JudgedChunk(chunk, layout)
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
                        if let reading = Reading(ascii: name) {
                            rows[index].take(reading)
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

    /// Reads a name that is not plain ASCII.
    private func take(unusual name: UnsafeBufferPointer<UInt8>, _ row: inout Row, _ readings: inout [Reading]) {
        guard let reading = Reading(typed: name) else {
            row.kind = .unreadable
            return
        }
        row.take(reading)
        // Normalising makes plain letters of some others: of wide ones, for instance. Of white space alone it makes
        // nothing, which is not to be read once more as though it were ASCII.
        if let spelling = reading.spelling, !spelling.isEmpty { return }
        row.kind = .unusual
        row.place = Int32(truncatingIfNeeded: readings.count)
        readings.append(reading)
    }

    /// Looks for reserved words among the names of a block, and takes the fingerprints of those that are well formed.
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

/// A well-formed name, and whose it is.
struct IndexedName: Sendable {
    let row: Int32
    let fingerprint: Fingerprint
}

/// Names on their way to the words.
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
    fileprivate mutating func take(_ reading: Reading) {
        letters = reading.spelling ?? PackedASCII()
        length = Int32(truncatingIfNeeded: reading.length)
        broken = reading.broken
    }
}

/// The rows of a chunk, and what they are made of.
struct JudgedChunk: Sendable {
    let layout: Layout
    var chunk: Chunk
    private(set) var records = Records()
    var rows: [Row] = []
    /// The well-formed names, in order.
    var names: [IndexedName] = []
    /// The readings of rows that are ``Row/Kind/unusual``.
    fileprivate(set) var readings: [Reading] = []
    /// What the registry knows of some of the names; see ``Row/finding``.
    private var findings: [BulkFinding] = []
    /// The records and lines of the input before this chunk, once they are known.
    var before = (records: 0, lines: 0)

    init(_ chunk: Chunk, _ layout: Layout) {
        self.layout = layout
        self.chunk = chunk
        records.parse(&self.chunk, layout)
        names.reserveCapacity(records.count)
    }

    /// The line of a row in the input, from 1.
    func line(_ row: Int) -> Int { before.lines + records.line(row) + 1 }

    /// The number of a row among the records, from 1; a header is not counted.
    func record(_ row: Int) -> Int { before.records + row + 1 }

    /// The bytes of the name as they are in the input.
    func input(_ row: Int, column: Int = 0) -> ArraySlice<UInt8> {
        records.bytes(of: row, column: column, in: chunk) ?? []
    }

    /// What the rules say of a row; nil when it could not be read.
    func verdict(_ row: Int, _ words: ReservedWords, _ policy: Policy) -> Verdict? {
        guard let reading = reading(row) else { return nil }
        return Verdict.decide(reading, word: rows[row].word.map { words[$0] }, finding(rows[row]), policy)
    }

    private func reading(_ index: Int) -> Reading? {
        let row = rows[index]
        switch row.kind {
        case .unreadable: return nil
        case .unusual: return readings[Int(row.place)]
        case .plain:
            return row.letters.isEmpty
                ? input(index).withUnsafeBufferPointer { Reading(ascii: $0) } : Reading(row.letters)
        }
    }

    /// The handles of some of the well-formed names.
    func handles(of names: ArraySlice<IndexedName>) -> [Handle] {
        names.compactMap { Handle(rows[Int($0.row)].letters.lowercased) }
    }

    /// Takes in what the registry knows of some of the well-formed names.
    mutating func take(_ findings: some Sequence<BulkFinding?>, about names: ArraySlice<IndexedName>) {
        for (name, finding) in zip(names, findings) {
            guard let finding else { continue }
            rows[Int(name.row)].finding = Int32(truncatingIfNeeded: self.findings.count)
            self.findings.append(finding)
        }
    }

    private func finding(_ row: Row) -> BulkFinding? { row.finding < 0 ? nil : findings[Int(row.finding)] }

    /// Why a row could not be read.
    func fault(_ row: Int) -> RowFault { records.fault(row).map(RowFault.record) ?? .notUTF8 }
}

/// Why there is no name in a row.
enum RowFault: Hashable, Sendable {
    case record(RecordFault)
    case notUTF8

    /// The code in reports.
    var name: String {
        switch self {
        case .record(.empty): "empty_row"
        case .record(.ragged): "ragged_row"
        case .record(.tooLong): "row_too_long"
        case .record(.cut): "cut_row"
        case .record(let fault): fault.code
        case .notUTF8: "not_utf8"
        }
    }

    /// The code with its numbers.
    var code: String {
        switch self {
        case .record(.ragged(let fields, let expected)): "\(name):\(fields):\(expected)"
        case .record(.tooLong(let bytes)): "\(name):\(bytes)"
        default: name
        }
    }

    var message: String {
        switch self {
        case .record(let fault): fault.message
        case .notUTF8: "The name is not UTF-8; convert the file with iconv."
        }
    }
}
