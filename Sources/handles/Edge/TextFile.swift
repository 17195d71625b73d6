import Glibc

/// Files that a command reads; `-` is the standard input.
enum TextFile {
    /// The whole of a small file.
    static func read(_ path: String) throws -> String {
        var text: [UInt8] = []
        try LineReader(path: path).forEach { text += $0 + [UInt8(ascii: "\n")] }
        guard let decoded = String(validating: text, as: UTF8.self) else {
            throw CommandFault(.unreadableData, "\(path) is not UTF-8")
        }
        return decoded
    }
}

/// The lines of a file, one at a time, as bytes without their ends (LF or CRLF). Memory does not grow with the file.
struct LineReader {
    private let path: String
    private let descriptor: Int32

    private static let chunkSize = 64 * 1024
    /// A line longer than this is not text with names in it.
    private static let longestLine = 1024 * 1024

    init(path: String) throws {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
    }

    func forEach(_ body: ([UInt8]) throws -> Void) throws {
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        while true {
            try waitForInput()
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(path) }
            if count == 0 { break }
            for byte in chunk[..<count] {
                if byte == UInt8(ascii: "\n") {
                    try body(line.withoutReturn)
                    line.removeAll(keepingCapacity: true)
                } else {
                    line.append(byte)
                }
            }
            guard line.count <= Self.longestLine else {
                throw CommandFault(.unreadableData, "\(path) has a line of more than \(Self.longestLine) bytes")
            }
        }
        if !line.isEmpty { try body(line.withoutReturn) }
    }

    /// Returns when there is something to read or the input has ended, and notices an interruption meanwhile.
    private func waitForInput() throws {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat { try Task.checkCancellation() } while poll(&input, 1, Self.patienceMilliseconds) == 0
    }

    private static let patienceMilliseconds: Int32 = 100

    private static func unreadable(_ path: String) -> CommandFault {
        CommandFault(.noInput, "can't read \(path): \(String(cString: strerror(errno)))")
    }
}

extension [UInt8] {
    fileprivate var withoutReturn: [UInt8] { last == UInt8(ascii: "\r") ? dropLast() : self }
}
