/// The result of a run over a file of names.
package struct Summary: Sendable {
    package var counts = Counts()
    /// Rows for a page, if it is wanted.
    var examples = Examples()
    package var groups: [LargestGroups.Group] = []
    package var seconds = 0.0
    package var end = RunEnd.complete
    /// The number of the last line, if it has no line end, as in a truncated file.
    package var openLine: Int?
    /// The records of CSV with several lines: their number, and the lines of the first one.
    package private(set) var longRecords: (count: Int, first: ClosedRange<Int>)?
    /// Lines that can't be read and are left out of the report.
    package var skipped: [Int] = []

    /// Whether the last row has no line end.
    package var endsInsideLine: Bool { openLine != nil && counts.rows > 0 }
    /// Remarks about the file: its blank lines, and records of several lines.
    package var remarks: [String] {
        var remarks: [String] = []
        if counts.blank > 0 { remarks.append("\(counts.blank.counted("blank line")) skipped.") }
        if let (count, first) = longRecords {
            remarks.append(
                "\(count.counted("record")) with several lines, the first in lines \(first.lowerBound) to "
                    + "\(first.upperBound): look whether a quote is missing.")
        }
        return remarks
    }

    mutating func noteLongRecords(of chunk: JudgedChunk) {
        let records = chunk.records
        for record in 0..<(records.lines.isEmpty ? 0 : records.count) {
            let end = record + 1 < records.count ? records.line(record + 1) : records.lineCount
            guard end - records.line(record) > 1 else { continue }
            let lines = chunk.line(record)...chunk.before.lines + end
            longRecords = ((longRecords?.count ?? 0) + 1, longRecords?.first ?? lines)
        }
    }

    package var rowsPerSecond: Int { seconds > 0 ? Int(Double(counts.rows) / seconds) : 0 }
}

/// Progress of a run.
package struct Progress: Sendable {
    package var rows = 0
    /// Bytes read, and the size of the file; nil for a pipe.
    package var position = 0
    package var size: Int?

    package init(rows: Int = 0, position: Int = 0, size: Int? = nil) {
        (self.rows, self.position, self.size) = (rows, position, size)
    }

    /// The progress of the first or second of two passes over the file, as that of both.
    var firstHalf: Progress { Progress(rows: rows, position: position, size: size.map { 2 * $0 }) }
    var secondHalf: Progress {
        Progress(rows: rows, position: (size ?? 0) + position, size: size.map { 2 * $0 })
    }
}
