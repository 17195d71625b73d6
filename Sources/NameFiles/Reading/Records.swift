/// The records of one chunk, by column. Reused for each chunk, so that nothing is allocated after the first one.
package struct Records: Sendable {
    /// The position of a field's bytes in ``Chunk/bytes``, without quotes and escapes.
    package struct Cell: Hashable, Sendable {
        package var start: Int32
        /// -1 when the record has no such field.
        package var count: Int32

        package static let absent = Cell(start: 0, count: -1)

        @inline(__always)
        init(start: Int, count: Int) {
            self.start = Int32(truncatingIfNeeded: start)
            self.count = Int32(truncatingIfNeeded: count)
        }

        /// The range of the bytes; nil when the record has no such field.
        package var range: Range<Int>? { count < 0 ? nil : Int(start)..<Int(start) + Int(count) }
    }

    /// The cells of all records, for each chosen column. A column that the file does not have has none.
    package internal(set) var cells: [[Cell]] = []
    /// The columns that the file has.
    private var present: [Int] = []
    /// The number of records.
    package internal(set) var count = 0
    /// The number of physical lines in the chunk.
    package internal(set) var lineCount = 0

    /// The first line of each record; empty if every record is one line.
    var lines: [Int32] = []
    /// The faults, in the order of the records.
    var faults: [(record: Int, fault: RecordFault)] = []
    /// The members of the JSON objects being parsed.
    var members: [JSONLine.Member] = []

    package init() {}

    /// The first physical line of a record; the first line of the chunk is 0.
    package func line(_ record: Int) -> Int { lines.isEmpty ? record : Int(lines[record]) }

    /// The fault of a record; nil for nearly all.
    package func fault(_ record: Int) -> RecordFault? {
        var range = 0..<faults.count
        while let first = range.first {
            let middle = first + range.count / 2
            if faults[middle].record == record { return faults[middle].fault }
            range = faults[middle].record < record ? middle + 1..<range.upperBound : first..<middle
        }
        return nil
    }

    /// Whether no record has a fault.
    package var isFaultless: Bool { faults.isEmpty }

    /// The bytes of a field; nil when the record has no such field.
    /// - Parameter chunk: the chunk that was parsed last.
    package func bytes(of record: Int, column: Int = 0, in chunk: Chunk) -> ArraySlice<UInt8>? {
        let cells = cells[column]
        return cells.isEmpty ? nil : cells[record].range.map { chunk.bytes[$0] }
    }

    /// Parses the records of a chunk, replacing those of the previous chunk, and removes quotes and escapes in it.
    package mutating func parse(_ chunk: inout Chunk, _ layout: Layout) {
        lines.removeAll(keepingCapacity: true)
        faults.removeAll(keepingCapacity: true)
        if cells.count != layout.columns.count { cells = Array(repeating: [], count: layout.columns.count) }
        present.removeAll(keepingCapacity: true)
        for (column, place) in layout.columns.enumerated() {
            if place == Layout.noColumn { cells[column] = [] } else { present.append(column) }
        }
        if let oversize = chunk.oversize {
            resize(to: 1)
            lineCount = oversize.lines
            setAbsent(0)
            faults.append((0, .tooLong(bytes: oversize.bytes)))
            return
        }
        let (isCut, end) = (chunk.isCut, chunk.count)
        chunk.bytes.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return resize(to: 0) }
            lineCount = ByteSearch(base).lines(to: end, returns: layout.format.separator != nil)
            // There are at most as many records as lines.
            resize(to: lineCount)
            switch layout.format {
            case .lines: parseLines(base, end, layout, isCut: isCut)
            case .separated(let separator): parseFields(base, end, layout, separator, isCut: isCut)
            case .json: parseObjects(base, end, layout, isCut: isCut)
            }
        }
    }

    /// Makes room for `count` records and keeps existing cells unchanged.
    mutating func resize(to count: Int) {
        self.count = count
        for column in present {
            let missing = count - cells[column].count
            if missing > 0 {
                cells[column].append(contentsOf: repeatElement(.absent, count: missing))
            } else {
                cells[column].removeLast(-missing)
            }
        }
    }

    mutating func setAbsent(_ record: Int) {
        for column in present { cells[column][record] = .absent }
    }
}

extension Records.Cell {
    fileprivate init(start: Int32, count: Int32) {
        self.start = start
        self.count = count
    }
}

extension ByteSearch {
    /// The number of physical lines up to `end`; the last one may have no line end.
    fileprivate func lines(to end: Int, returns: Bool) -> Int {
        guard end > 0 else { return 0 }
        let last = self[end - 1]
        let isEnded = last == Self.lineFeed || returns && last == Self.carriageReturn
        return lineEnds(from: 0, to: end, returns: returns) + (isEnded ? 0 : 1)
    }
}
