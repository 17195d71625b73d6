import Glibc

/// Where a report goes: a file, or the standard output.
package final class ReportFile {
    private let descriptor: Int32
    /// What messages call it.
    private let name: String
    /// Whether there may be something of an earlier report in it.
    private var isToBeEmptied: Bool

    /// The standard output.
    package init() {
        descriptor = STDOUT_FILENO
        name = "the output"
        isToBeEmptied = false
    }

    /// A file. What is in it stays until the first line is written: there may be nothing to report on.
    /// - Throws: ``BatchError``; also when it is the file at `input`, which would be lost.
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

    /// Writes whole lines.
    /// - Throws: ``BatchError``; without words when the reader has gone away, as `head` does.
    func write(_ bytes: [UInt8]) throws(BatchError) {
        if isToBeEmptied, ftruncate(descriptor, 0) != 0 { throw failure }
        isToBeEmptied = false
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw errno == EPIPE ? BatchError(.cannotWrite, "") : failure }
            start += count
        }
    }

    private var failure: BatchError {
        BatchError(.cannotWrite, "can't write \(name): \(String(cString: strerror(errno)))")
    }
}
