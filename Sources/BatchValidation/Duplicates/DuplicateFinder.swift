import Records

/// Finds the duplicates in the chunks of a file, which are given to it in order, and tells them where they are.
struct DuplicateFinder {
    /// The records and lines before the next chunk.
    private var before: (records: Int, lines: Int)
    private let memory: Int
    /// The names so far; made with the first chunk, which tells about how many there are.
    private(set) var names: DuplicateTable?

    /// - Parameters:
    ///   - linesBefore: those of the header.
    ///   - memory: the most bytes to use.
    init(linesBefore: Int, memory: Int) {
        before = (0, linesBefore)
        self.memory = memory
    }

    /// The records so far.
    var records: Int { before.records }

    /// - Parameter size: of the file, if it is known.
    /// - Throws: ``BatchError`` when there are more names than the memory has room for.
    mutating func find(in chunk: inout JudgedChunk, ofFileWith size: Int?) throws(BatchError) {
        chunk.before = before
        before.records += chunk.records.count
        before.lines += chunk.records.lineCount
        let (lines, records) = (chunk.before.lines, chunk.records)
        if names == nil {
            let expected = Double(chunk.rows.count) / Double(max(1, chunk.chunk.count)) * Double(size ?? 0)
            names = try DuplicateTable(expectedNames: Int(expected), budget: memory)
        }
        try names?.insert(chunk.names, in: &chunk.rows) { lines + records.line($0) + 1 }
    }
}
