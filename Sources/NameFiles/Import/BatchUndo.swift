package import HandleCore
package import HandleRegistry
import Records

/// Undoes the reservations listed in an undo file that have not changed since. Safe to repeat.
package struct BatchUndo: Sendable {
    private let undo: BulkUndo

    package init(_ registry: Registry, _ cause: Cause) { undo = BulkUndo(registry, cause) }

    /// Transactions that run at the same time.
    private static let running = 2
    private static let chunkSize = 256 * 1024

    /// - Parameters:
    ///   - path: the undo file; `-` is the standard input.
    ///   - report: called for every readable row, in the order of the file.
    ///   - progress: called after each transaction.
    /// - Returns: numbers of the unreadable lines. Each run that was killed may have left one.
    /// - Throws: `RecordsError`, `PostgresError`; `CancellationError`; errors of `report`.
    package func run(
        path: String, report: (Handle, ChangeOutcome) throws -> Void, progress: (Progress) -> Void
    ) async throws -> [Int] {
        let reader = try ChunkReader(
            path: path, selection: Selection(format: .csv, columns: [.name("handle"), .name("change")], header: true),
            chunkSize: Self.chunkSize)
        var unreadable: [Int] = []
        var lines = reader.linesBefore
        var records = Records()
        var running: [Task<[(Handle, ChangeOutcome)], any Error>] = []
        var done = 0

        func finishFirst() async throws {
            let outcomes = try await running.removeFirst().value
            for (handle, outcome) in outcomes { try report(handle, outcome) }
            done += outcomes.count
            let (position, size) = reader.progress
            progress(Progress(rows: done, position: position, size: size))
        }

        func undoAll() async throws {
            while var chunk = try reader.next() {
                records.parse(&chunk, reader.layout)
                var names: [(handle: Handle, change: Int64)] = []
                for record in 0..<records.count {
                    let texts = (0..<2).map { column in
                        records.bytes(of: record, column: column, in: chunk).map { String(decoding: $0, as: UTF8.self) }
                    }
                    if records.fault(record) == nil, let handle = texts[0].flatMap({ Handle($0) }),
                        let change = texts[1].flatMap({ Int64($0) })
                    {
                        names.append((handle, change))
                    } else {
                        unreadable.append(lines + records.line(record) + 1)
                    }
                }
                lines += records.lineCount
                for start in stride(from: 0, to: names.count, by: BulkUndo.largest) {
                    try Task.checkCancellation()
                    if running.count == Self.running { try await finishFirst() }
                    let part = Array(names[start..<min(start + BulkUndo.largest, names.count)])
                    // An unstructured task is not cancelled, so the report covers every committed change.
                    running.append(
                        Task { [undo] in
                            zip(part, try await undo.undo(part)).map { ($0.handle, $1) }
                        })
                }
            }
            while !running.isEmpty { try await finishFirst() }
        }

        do {
            try await undoAll()
        } catch {
            // Transactions that have begun are finished and reported before the error is thrown.
            while !running.isEmpty { try? await finishFirst() }
            throw error
        }
        return unreadable
    }
}
