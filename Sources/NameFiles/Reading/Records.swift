/// The records of one chunk, by column.
package struct Records: Sendable {
    /// The position of a field in ``bytes``, without quotes and escapes.
    struct Cell: Hashable, Sendable {
        var start: Int32
        /// -1 when the record has no such field.
        var count: Int32

        static let absent = Cell(start: 0, count: -1)

        @inline(__always)
        init(start: Int, count: Int) {
            self.start = Int32(truncatingIfNeeded: start)
            self.count = Int32(truncatingIfNeeded: count)
        }

        /// The range of the bytes; nil when the record has no such field.
        var range: Range<Int>? { count < 0 ? nil : Int(start)..<Int(start) + Int(count) }
    }

    /// The bytes of the chunk and its padding. Quotes and escapes in the cells are removed.
    private(set) var bytes: [UInt8] = []
    /// The number of bytes of the chunk.
    let size: Int
    /// The cells of at least ``count`` records, for each chosen column. A column that the file does not have has none.
    var cells: [[Cell]] = []
    /// The number of records.
    package internal(set) var count = 0
    /// The number of physical lines in the chunk.
    package private(set) var lineCount = 0

    /// The first line of each record; empty if every record is one line.
    var lines: [Int32] = []
    /// The faults, in the order of the records.
    var faults: [(record: Int, fault: RecordFault)] = []

    /// Parses the records of a chunk.
    package init(_ chunk: Chunk, _ layout: Layout) {
        size = chunk.count
        if let oversize = chunk.oversize {
            lineCount = oversize.lines
            if oversize.linesBefore > 0 { lines = [Int32(oversize.linesBefore)] }
            makeRoom(for: 1, layout)
            faults.append((0, .tooLong(bytes: oversize.bytes)))
            return
        }
        var bytes = chunk.bytes
        bytes.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let isArray = layout.format == .array
            let search = ByteSearch(base)
            // The elements of an array begin and end within lines.
            lineCount =
                isArray
                ? search.lineEnds(from: 0, to: size, returns: false)
                : search.lines(to: size, returns: layout.format.separator != nil)
            // There are at most as many records as lines, except in an array.
            makeRoom(for: isArray ? 0 : lineCount, layout)
            switch layout.format {
            case .lines: parseLines(base, size, layout, isCut: chunk.isCut)
            case .separated(let separator): parseFields(base, size, layout, separator, isCut: chunk.isCut)
            case .json: parseObjects(base, size, layout, isCut: chunk.isCut)
            case .array: parseElements(base, size, layout)
            }
        }
        self.bytes = bytes
    }

    private mutating func makeRoom(for count: Int, _ layout: Layout) {
        self.count = count
        cells = layout.columns.map { place in
            place == Layout.noColumn ? [] : [Cell](repeating: .absent, count: count)
        }
    }

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
    var isFaultless: Bool { faults.isEmpty }

    /// The bytes of a field; nil when the record has no such field.
    package func bytes(of record: Int, column: Int = 0) -> ArraySlice<UInt8>? {
        cells[column].isEmpty ? nil : cells[column][record].range.map { bytes[$0] }
    }

    mutating func setAbsent(_ record: Int) {
        for column in cells.indices where !cells[column].isEmpty { cells[column][record] = .absent }
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
