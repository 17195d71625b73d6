package import Records

/// What came of a file.
package struct Summary: Sendable {
    package var counts = Counts()
    package var groups: [LargestGroups.Group] = []
    package var seconds = 0.0
    package var end = End.complete
    /// Whether the last line had no line end, as that of a file that was cut.
    package var endsInsideLine = false

    package enum End: Sendable {
        case complete
        /// At the first refused row, as was wished.
        case stopped
        case interrupted
        /// The rest could not be read.
        case failed(RecordsError)
    }

    package var rowsPerSecond: Int { seconds > 0 ? Int(Double(counts.rows) / seconds) : 0 }
}

/// How far the work is.
package struct Progress: Sendable {
    package var rows = 0
    /// Bytes read of the file, and how many it has; nil for a pipe.
    package var position = 0
    package var size: Int?

    package init(rows: Int = 0, position: Int = 0, size: Int? = nil) {
        (self.rows, self.position, self.size) = (rows, position, size)
    }
}
