import Records

/// What came of a file.
public struct Summary: Sendable {
    public var counts = Counts()
    public var groups: [LargestGroups.Group] = []
    public var seconds = 0.0
    public var end = End.complete
    /// Whether the last line had no line end, as that of a file that was cut.
    public var endsInsideLine = false

    public enum End: Sendable {
        case complete
        /// At the first refused row, as was wished.
        case stopped
        case interrupted
        /// The rest could not be read.
        case failed(RecordsError)
    }

    public var rowsPerSecond: Int { seconds > 0 ? Int(Double(counts.rows) / seconds) : 0 }
}

/// How far the work is.
public struct Progress: Sendable {
    public var rows = 0
    /// Bytes read of the file, and how many it has; nil for a pipe.
    public var position = 0
    public var size: Int?

    public init(rows: Int = 0, position: Int = 0, size: Int? = nil) {
        (self.rows, self.position, self.size) = (rows, position, size)
    }
}
