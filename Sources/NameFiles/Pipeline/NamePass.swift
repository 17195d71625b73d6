/// The first pass over a file of which names are repaired. It tells the repairer all names of the file, because none of
/// them may be proposed as a repair.
enum NamePass {
    /// - Parameters:
    ///   - jobs: chunks that are judged at a time.
    ///   - progress: called after each chunk.
    /// - Throws: ``BatchError`` when the names don't fit into the memory; `CancellationError`. Damage to the file is left
    ///   to the second pass.
    static func run(
        _ reader: ChunkReader, _ judge: Judge, for repairer: Repairer, jobs: Int, progress: (Progress) -> Void
    ) async throws {
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
        case .complete, .stopped, .failed: break
        }
    }
}
