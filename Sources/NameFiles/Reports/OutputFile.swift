import Glibc

/// The destination of a report: a file or the standard output.
package final class OutputFile {
    private let descriptor: Int32
    /// The name in messages.
    private let name: String
    /// Whether the file may still have an earlier report.
    private var isToBeEmptied: Bool

    /// The standard output.
    package init() {
        descriptor = STDOUT_FILENO
        name = "the output"
        isToBeEmptied = false
    }

    /// A file. Its old content stays until the first line is written, because the run may fail before that.
    /// - Parameters:
    ///   - input: the file that is read; `-` is the standard input.
    ///   - option: the option that names the file.
    /// - Throws: ``BatchError``, also when the file is the same as an input, which would be overwritten.
    package init(path: String, input: String, option: String = "--output") throws(BatchError) {
        name = path
        if Self.isSameFile(path, input == "-" ? Self.status(of: STDIN_FILENO) : Self.status(of: input)) {
            throw BatchError(
                .usage, "the report \(path) would overwrite the file that is read; give another \(option)")
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        isToBeEmptied = false
        if descriptor < 0 { throw failure }
        isToBeEmptied = Self.status(of: descriptor).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }

    deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

    /// Writes complete lines.
    /// - Throws: ``BatchError``; with an empty description after EPIPE, as when the reader is `head`.
    package func write(_ bytes: [UInt8]) throws(BatchError) {
        if isToBeEmptied, ftruncate(descriptor, 0) != 0 { throw failure }
        isToBeEmptied = false
        guard bytes.writeAll(to: descriptor) else { throw errno == EPIPE ? BatchError(.cannotWrite, "") : failure }
    }

    private var failure: BatchError {
        BatchError(.cannotWrite, "can't write \(name): \(String(cString: strerror(errno)))")
    }

    /// True if the path is that of a regular file with this status.
    private static func isSameFile(_ path: String, _ other: stat?) -> Bool {
        guard let file = status(of: path), let other else { return false }
        return file.st_dev == other.st_dev && file.st_ino == other.st_ino && file.st_mode & S_IFMT == S_IFREG
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }
}
