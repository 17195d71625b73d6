/// Finds duplicates in the chunks of a file, and sets each chunk's position. The chunks must come in order.
struct DuplicateFinder {
    /// Records and lines before the next chunk.
    private var before: (records: Int, lines: Int)
    private let memory: Int?
    /// The names so far. Made with the first chunk, from which the number of names is estimated.
    private(set) var names: DuplicateTable?

    /// - Parameters:
    ///   - linesBefore: lines of the header.
    ///   - memory: memory limit in bytes; nil to set positions only.
    init(linesBefore: Int, memory: Int?) {
        before = (0, linesBefore)
        self.memory = memory
    }

    /// Records and lines so far.
    var records: Int { before.records }
    var lines: Int { before.lines }

    /// - Parameter size: size of the file; nil when it is not known.
    /// - Throws: ``BatchError`` when the names don't fit into the memory limit.
    mutating func find(in chunk: inout JudgedChunk, ofFileWith size: Int?) throws(BatchError) {
        chunk.before = before
        before.records += chunk.records.count
        before.lines += chunk.records.lineCount
        guard let memory else { return }
        let (lines, records) = (chunk.before.lines, chunk.records)
        if names == nil {
            let expected = Double(chunk.rows.count) / Double(max(1, chunk.records.size)) * Double(size ?? 0)
            names = try DuplicateTable(expectedNames: Int(expected), budget: memory)
        }
        try names?.insert(chunk.names, in: &chunk.rows) { lines + records.line($0) + 1 }
    }
}
