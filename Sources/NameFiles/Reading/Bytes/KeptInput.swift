import Glibc

/// An input that can be read more than once: a file, or a temporary copy of a pipe.
package final class KeptInput {
    /// The path as it was given; `-` is the standard input.
    let path: String
    /// The name in messages.
    package let name: String
    /// The path to read from.
    let readablePath: String
    /// The open copy.
    private let copy: Int32?

    /// - Throws: ``RecordsError``; ``BatchError`` when the copy can't be written; `CancellationError`.
    package init(path: String) throws {
        let source = try ByteSource(path: path, isRaw: true)
        (self.path, name) = (path, source.name)
        guard source.size == nil || path == "-" else {
            (readablePath, copy) = (path, nil)
            return
        }
        guard let copy = TemporaryFile.open() else { throw Self.fault("can't make a temporary file") }
        (readablePath, self.copy) = ("/proc/self/fd/\(copy)", copy)
        try Self.copy(source, to: copy)
    }

    /// Opens the input at its start.
    func open() throws(RecordsError) -> ByteSource { try ByteSource(path: readablePath, name: name) }

    deinit { if let copy { close(copy) } }

    /// Copies the bytes as they are, so that damage in compressed data is found when the copy is read.
    private static func copy(_ source: ByteSource, to descriptor: Int32) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = try buffer.withUnsafeMutableBytes(source.read), count > 0 {
            try Task.checkCancellation()
            guard buffer[..<count].writeAll(to: descriptor) else { throw fault("can't write a temporary file") }
        }
    }

    private static func fault(_ what: String) -> BatchError {
        BatchError(
            .cannotWrite, "\(what): \(String(cString: strerror(errno))); set TMPDIR to a folder with room for the input"
        )
    }
}
