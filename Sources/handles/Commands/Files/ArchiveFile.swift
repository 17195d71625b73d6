import NameFiles

/// An archive, which is read twice: for the check and for the import.
struct ArchiveFile {
    private let input: KeptInput

    /// - Parameter path: path of the file; `-` is the standard input.
    /// - Throws: ``RecordsError``; ``BatchError``; `CancellationError`.
    init(_ path: String) throws { input = try KeptInput(path: path) }

    /// Calls `body` with each line and its number from 1.
    /// - Parameter progress: called now and then with the current position.
    /// - Returns: number of lines.
    func forEachLine(
        progress: (Progress) -> Void = { _ in }, _ body: (ArraySlice<UInt8>, Int) async throws -> Void
    ) async throws -> Int {
        let reader = try ChunkReader(input, selection: Selection(format: .lines))
        var lines = 0
        while let chunk = try reader.next() {
            try Task.checkCancellation()
            let records = Records(chunk, reader.layout)
            for record in 0..<records.count {
                let line = lines + records.line(record) + 1
                if let fault = records.fault(record) {
                    throw CommandFault(
                        .unreadableData, "line \(line): \(fault.message) Get the whole file again.")
                }
                try await body(records.bytes(of: record) ?? [], line)
            }
            lines += records.lineCount
            let (position, size) = reader.progress
            progress(Progress(rows: lines, position: position, size: size))
        }
        guard lines > 0 else { throw CommandFault(.unreadableData, "\(input.name) is empty; it is not an export") }
        return lines
    }
}
