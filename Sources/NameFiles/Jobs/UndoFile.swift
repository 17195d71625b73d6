import Glibc
package import HandleRules
import NIOConcurrencyHelpers

/// Undo file of a run that changes handles. They are written to it before they are changed, so the run can be undone
/// however it ends.
///
/// CSV with a header. Runs append to it, also at the same time, so one file may hold several runs. Undo skips a row if
/// its change was never made, or the handle has changed since.
package final class UndoFile: Sendable {
    package let path: String
    /// File descriptor; nil until the first handles are written.
    private let descriptor = NIOLockedValueBox<Int32?>(nil)

    private static let header = "handle,change\n"

    package init(path: String) { self.path = path }

    deinit { if let open = descriptor.withLockedValue(\.self) { close(open) } }

    /// True if the file was opened to write handles.
    package var isUsed: Bool { descriptor.withLockedValue { $0 != nil } }

    /// Appends handles with the numbers of their changes. They are on the disk when it returns.
    /// - Throws: ``BatchError``
    package func note(_ names: [(handle: Handle, change: Int64)]) throws {
        guard !names.isEmpty else { return }
        var lines: [UInt8] = []
        lines.reserveCapacity(names.count * Self.longestLine)
        for name in names {
            name.handle.letters.append(to: &lines)
            lines += ",\(name.change)\n".utf8
        }
        try descriptor.withLockedValue { descriptor in
            let file = try descriptor ?? begin()
            descriptor = file
            guard lines.writeAll(to: file), fdatasync(file) == 0 || errno == EINVAL else { throw failure }
        }
    }

    /// Maximum bytes of a line: a handle, a comma, and a change number of 19 digits.
    private static let longestLine = 64

    /// Opens the file. The next write starts a new line below the header.
    private func begin() throws -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw failure }
        do {
            // Every run shares the lock while it writes, so a run that gets it alone may shorten the file.
            try prepare(file, mayCut: flock(file, LOCK_EX | LOCK_NB) == 0)
        } catch {
            close(file)
            throw error
        }
        flock(file, LOCK_SH)
        return file
    }

    /// Makes sure that the file ends with the header or with a complete line of an undo file.
    private func prepare(_ file: Int32, mayCut: Bool) throws {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure }
        guard status.st_size > 0 else {
            guard Array(Self.header.utf8).writeAll(to: file) else { throw failure }
            return
        }
        var start = [UInt8](repeating: 0, count: Self.header.utf8.count)
        guard pread(file, &start, start.count, 0) == start.count, start.elementsEqual(Self.header.utf8) else {
            throw BatchError(
                .usage, "\(path) exists and is not an undo file; choose another one with --undo")
        }
        let end = try endOfLines(file, size: Int(status.st_size))
        guard end < status.st_size else { return }
        // A run that was killed may have left an incomplete last line. Its handle was not changed, so the line is
        // dropped. Beside another run it is ended, which is correct also if that run is still writing it.
        guard mayCut ? ftruncate(file, off_t(end)) == 0 : [0x0A].writeAll(to: file) else { throw failure }
    }

    /// The end of the last complete line.
    private func endOfLines(_ file: Int32, size: Int) throws -> Int {
        var bytes = [UInt8](repeating: 0, count: min(size, Self.longestLine))
        let start = size - bytes.count
        guard pread(file, &bytes, bytes.count, off_t(start)) == bytes.count else { throw failure }
        return bytes.lastIndex(of: UInt8(ascii: "\n")).map { start + $0 + 1 } ?? size
    }

    private var failure: BatchError {
        BatchError(.cannotWrite, "can't write the undo file \(path): \(String(cString: strerror(errno)))")
    }
}
