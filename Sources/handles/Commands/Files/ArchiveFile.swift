import Glibc
import NameFiles

/// An archive that can be read twice: for the check and for the import.
final class ArchiveFile {
    /// The name in messages.
    let name: String
    private let path: String
    /// Open temporary copy of the input, if it came from a pipe.
    private let copy: Int32?

    /// - Parameter path: path of the file; `-` is the standard input.
    /// - Throws: ``RecordsError``; ``CommandFault``; `CancellationError`.
    init(_ path: String) throws {
        let source = try ByteSource(path: path)
        name = source.name
        guard source.size == nil || path == "-" else {
            (self.path, copy) = (path, nil)
            return
        }
        guard let copy = TemporaryFile.open() else { throw Self.cannotCopy() }
        (self.path, self.copy) = ("/proc/self/fd/\(copy)", copy)
        try Self.copy(source, to: copy)
    }

    deinit { if let copy { close(copy) } }

    private static func copy(_ source: ByteSource, to descriptor: Int32) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = try buffer.withUnsafeMutableBytes(source.read), count > 0 {
            try Task.checkCancellation()
            guard buffer[..<count].writeAll(to: descriptor) else { throw cannotCopy() }
        }
    }

    private static func cannotCopy() -> CommandFault {
        CommandFault(
            .cannotWrite,
            "can't write a temporary file: \(String(cString: strerror(errno))); set TMPDIR to a folder with room for the archive"
        )
    }

    /// Calls `body` with each line and its number from 1.
    /// - Parameter progress: called now and then with the current position.
    /// - Returns: number of lines.
    func forEachLine(
        progress: (Progress) -> Void = { _ in }, _ body: (ArraySlice<UInt8>, Int) async throws -> Void
    ) async throws -> Int {
        let reader = try ChunkReader(path: path, selection: Selection(format: .lines))
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
        guard lines > 0 else { throw CommandFault(.unreadableData, "\(name) is empty; it is not an export") }
        return lines
    }
}
