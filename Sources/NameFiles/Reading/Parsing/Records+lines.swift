extension Records {
    /// Parses lines, each of which is a record and ends with LF or CRLF.
    mutating func parseLines(_ base: UnsafeMutablePointer<UInt8>, _ end: Int, _ layout: Layout, isCut: Bool) {
        let bytes = ByteSearch(base)
        var hasFaults = end > layout.longestRecord
        for column in cells.indices where layout.columns[column] != Layout.noColumn {
            cells[column].withUnsafeMutableBufferPointer { cells in
                var start = 0
                for record in cells.indices {
                    let stop = bytes.first(ByteSearch.lineFeed, from: start, to: end)
                    cells[record] = Cell(start: start, count: bytes.lineCount(from: start, to: stop, of: end))
                    if bytes[start].isBlank { hasFaults = true }
                    start = stop + 1
                }
            }
        }
        if hasFaults { noteFaults(base, layout) }
        if isCut, count > 0, bytes[end - 1] != ByteSearch.lineFeed, faults.last?.record != count - 1 {
            faults.append((count - 1, .cut))
        }
    }

    private mutating func noteFaults(_ base: UnsafePointer<UInt8>, _ layout: Layout) {
        for record in 0..<count {
            guard let line = cells[0][record].range else { continue }
            if line.count > layout.longestRecord {
                setAbsent(record)
                faults.append((record, .tooLong(bytes: line.count)))
            } else if line.allSatisfy({ base[$0].isBlank }) {
                faults.append((record, .empty))
            }
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
