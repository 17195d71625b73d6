import Glibc
import RecordFiles

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
    /// - Throws: ``BatchError``, also when the file is the same as `input`, which would be overwritten.
    package init(path: String, input: String) throws(BatchError) {
        name = path
        var (old, source) = (stat(), stat())
        let readsItself = input == "-" ? fstat(STDIN_FILENO, &source) == 0 : stat(input, &source) == 0
        if readsItself, stat(path, &old) == 0, old.st_dev == source.st_dev, old.st_ino == source.st_ino,
            old.st_mode & S_IFMT == S_IFREG
        {
            throw BatchError(.usage, "the report \(path) would overwrite the file that is read; give another --output")
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        isToBeEmptied = false
        if descriptor < 0 { throw failure }
        isToBeEmptied = fstat(descriptor, &old) == 0 && old.st_mode & S_IFMT == S_IFREG
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
}
