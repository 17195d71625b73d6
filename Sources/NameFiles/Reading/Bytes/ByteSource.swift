import Glibc

/// The bytes of a file or of standard input (`-`). Data that start like gzip are decompressed; the name does not matter.
///
/// Used by one caller at a time. Waiting for a pipe ends when the task is cancelled.
package final class ByteSource {
    /// The name of the input in messages.
    package let name: String
    /// The size of a regular file, before decompression; nil for a pipe.
    package let size: Int?
    /// The number of bytes read from the file, before decompression.
    package private(set) var position = 0
    /// For ``fill(_:from:to:)``: whether the input has ended, the reason why it ended early, and the last byte so far.
    private(set) var hasEnded = false
    private(set) var failure: RecordsError?
    private(set) var lastByte: UInt8?

    private let descriptor: Int32
    /// The first bytes, which show whether the data are compressed; nil until they have been read.
    private var start: [UInt8]?
    private var inflater: Inflater?

    private static let patienceMilliseconds: Int32 = 100

    /// Opens the file without reading. At a terminal it says that it waits for input.
    /// - Parameters:
    ///   - name: the name in messages; nil for the path.
    ///   - isRaw: whether compressed data are read as they are.
    /// - Throws: ``RecordsError`` `.noInput` when it can't be opened, or is a directory.
    package init(path: String, name: String? = nil, isRaw: Bool = false) throws(RecordsError) {
        self.name = name ?? (path == "-" ? "the standard input" : path)
        if path == "-", isatty(STDIN_FILENO) == 1 {
            _ = "reading from the terminal; end with Ctrl-D\n".utf8.writeAll(to: STDERR_FILENO)
        }
        // O_NONBLOCK, because opening a pipe without a writer would block and ignore a cancellation; reading waits
        // instead.
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw Self.failure(self.name, errno) }
        let kind = status.st_mode & S_IFMT
        size = kind == S_IFREG ? Int(status.st_size) : nil
        // deinit closes the descriptor, because every property has a value here.
        if kind == S_IFDIR { throw RecordsError(.noInput, "can't read \(self.name): it is a directory, not a file") }
        if isRaw { start = [] }
    }

    /// Reads bytes from memory.
    init(_ bytes: [UInt8], name: String) throws(RecordsError) {
        self.name = name
        descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        size = bytes.count
        guard descriptor >= 0 else { throw Self.failure(name, errno) }
        start = bytes
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    /// Reads at least one byte, unless the end is reached.
    /// - Returns: the number of bytes; 0 at the end.
    /// - Throws: ``RecordsError`` when reading fails or the data are damaged, after all bytes before that were
    ///   returned; `CancellationError`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !buffer.isEmpty else { return 0 }
        do {
            var first = try start ?? readStart()
            if let inflater { return try inflater.read(into: buffer, more: readDescriptor) }
            guard !first.isEmpty else { return try readDescriptor(into: buffer) }
            return give(&first, to: buffer)
        } catch let damage as Inflater.Damage {
            throw error(for: damage)
        }
    }

    /// Reads into `bytes` from position `start` on, until they are filled up to `limit` or the input has ended.
    ///
    /// When the input fails, the bytes before the failure are returned first. Then the input ends, and ``failure`` has
    /// the reason.
    /// - Returns: the position after the last byte.
    /// - Throws: `CancellationError`.
    func fill(_ bytes: inout [UInt8], from start: Int, to limit: Int) throws -> Int {
        var filled = start
        while filled < limit, !hasEnded {
            do {
                let count = try bytes.withUnsafeMutableBytes {
                    try read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled..<limit]))
                }
                filled += count
                hasEnded = count == 0
            } catch let error as RecordsError {
                failure = error
                hasEnded = true
            }
        }
        if filled > start { lastByte = bytes[filled - 1] }
        return filled
    }

    /// Copies as many of the first bytes as fit.
    private func give(_ first: inout [UInt8], to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(first.count, buffer.count)
        buffer.copyBytes(from: first[..<count])
        first.removeFirst(count)
        start = first
        return count
    }

    /// Reads the first bytes and checks whether they are gzip's magic number.
    private func readStart() throws -> [UInt8] {
        var first: [UInt8] = []
        while first.count < Inflater.magic.count {
            var byte: UInt8 = 0
            guard try withUnsafeMutableBytes(of: &byte, readDescriptor) == 1 else { break }
            first.append(byte)
        }
        if first == Inflater.magic { inflater = try Inflater(start: first) }
        start = first
        return first
    }

    private func readDescriptor(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            try waitForInput()
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 {
                position += count
                return count
            }
            guard errno == EINTR || errno == EAGAIN else { throw Self.failure(name, errno) }
        }
    }

    /// Returns when there is data or the input has ended; polls for cancellation.
    private func waitForInput() throws {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var ready: Int32
        repeat {
            try Task.checkCancellation()
            ready = poll(&input, 1, Self.patienceMilliseconds)
        } while ready == 0 || ready < 0 && errno == EINTR
    }

    private func error(for damage: Inflater.Damage) -> RecordsError {
        switch damage {
        case .cut:
            RecordsError(.unreadable, "\(name) is cut: its compressed data end in the middle; get the whole file again")
        case .damaged(let detail):
            RecordsError(.unreadable, "\(name) is damaged: its compressed data are wrong (\(detail)); get it again")
        }
    }

    private static func failure(_ name: String, _ number: Int32) -> RecordsError {
        RecordsError(.noInput, "can't read \(name): \(String(cString: strerror(number)))")
    }
}
