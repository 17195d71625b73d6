/// The result of a run over a file of names.
package struct Summary: Sendable {
    package var counts = Counts()
    package var groups: [LargestGroups.Group] = []
    package var seconds = 0.0
    package var end = RunEnd.complete
    /// The number of the last line, if it has no line end, as in a truncated file.
    package var openLine: Int?
    /// Lines that can't be read and are left out of the report.
    package var skipped: [Int] = []

    /// Whether the last row has no line end.
    package var endsInsideLine: Bool { openLine != nil && counts.rows > 0 }
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
}
