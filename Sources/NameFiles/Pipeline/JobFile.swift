import HandleRegistry

/// The file of a job. It is read twice to count its rows first, or to repair its names: none of them may be a repair, also
/// none of later rows.
struct JobFile {
    private let path: String
    private let selection: Selection
    private let chunkSize: Int
    /// Nil if the file is read once.
    private let kept: KeptInput?

    /// - Throws: ``RecordsError``; ``BatchError`` when the copy of a pipe can't be written; `CancellationError`.
    init(path: String, _ selection: Selection, chunkSize: Int, isReadTwice: Bool) throws {
        (self.path, self.selection, self.chunkSize) = (path, selection, chunkSize)
        kept = isReadTwice ? try KeptInput(path: path) : nil
    }

    func open() throws -> ChunkReader {
        try kept.map { try ChunkReader($0, selection: selection, chunkSize: chunkSize) }
            ?? ChunkReader(path: path, selection: selection, chunkSize: chunkSize)
    }

    /// Counts the records that are not blank. Damage to the file is left to the second pass.
    /// - Throws: `CancellationError`
    func rows() throws -> Int {
        let reader = try open()
        var rows = 0
        do {
            while let chunk = try reader.next() {
                let records = Records(chunk, reader.layout)
                rows += (0..<records.count).count { records.fault($0) != .empty }
            }
        } catch is RecordsError {}
        return rows
    }

    /// Makes the first pass.
    /// - Parameters:
    ///   - memory: the limit for the names, in bytes.
    ///   - jobs: chunks that are judged at a time.
    ///   - progress: called after each chunk.
    /// - Returns: a repairer that knows all names of the file. Damage to the file is left to the second pass.
    /// - Throws: ``BatchError`` when the names don't fit into the memory; `CancellationError`.
    func repairer(
        _ judge: Judge, _ policy: Policy, lookup: SharedLookup?, memory: Int, jobs: Int, progress: (Progress) -> Void
    ) async throws -> Repairer {
        let repairer = try Repairer(judge, policy, lookup: lookup, memory: memory)
        let reader = try open()
        var rows = 0
        var pipeline = FilePipeline(reader, width: jobs, parse: { judge.judge($0) }, perform: { $0 })
        let end = try await pipeline.run { chunk in
            try await repairer.avoid(chunk.names)
            rows += chunk.rows.count
            progress(Progress(rows: rows, position: reader.progress.position, size: reader.progress.size).firstHalf)
            return true
        }
        switch end {
        case .interrupted: throw CancellationError()
        case .failed(let error) where !(error is RecordsError): throw error
        case .complete, .stopped, .failed: return repairer
        }
    }
}
