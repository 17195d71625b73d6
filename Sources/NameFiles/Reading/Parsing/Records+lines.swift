extension Records {
    /// Parses lines, each of which is a record and ends with LF or CRLF.
    mutating func parseLines(_ base: UnsafeMutablePointer<UInt8>, _ end: Int, _ layout: Layout, isCut: Bool) {
        let bytes = ByteSearch(base)
        for column in cells.indices where layout.columns[column] != Layout.noColumn {
            cells[column].withUnsafeMutableBufferPointer { cells in
                var start = 0
                for record in cells.indices {
                    let stop = bytes.first(ByteSearch.lineFeed, from: start, to: end)
                    cells[record] = Cell(start: start, count: bytes.lineCount(from: start, to: stop, of: end))
                    start = stop + 1
                }
            }
        }
        if end > layout.longestRecord { refuseLongLines(layout) }
        if isCut, count > 0, bytes[end - 1] != ByteSearch.lineFeed, faults.last?.record != count - 1 {
            faults.append((count - 1, .cut))
        }
    }

    private mutating func refuseLongLines(_ layout: Layout) {
        for record in 0..<count {
            let length = Int(cells[0][record].count)
            guard length > layout.longestRecord else { continue }
            setAbsent(record)
            faults.append((record, .tooLong(bytes: length)))
        }
    }
}

extension ByteSearch {
    /// The length of the line that ends at `stop`, without the CR of a CRLF.
    @inline(__always)
    func lineCount(from start: Int, to stop: Int, of end: Int) -> Int {
        stop < end && stop > start && self[stop - 1] == Self.carriageReturn ? stop - start - 1 : stop - start
    }
}
