import Glibc
import HandleRegistry

/// The two ways out: data to the standard output, words for a person to the standard error.
struct Output: Sendable {
    private var bytes: [UInt8] = []

    /// Written out when it is so long, to keep memory flat and system calls few.
    private static let bufferSize = 64 * 1024

    /// Adds a line of data.
    mutating func line(_ text: String) throws {
        bytes.append(contentsOf: text.utf8)
        try endLine()
    }

    /// Adds a line of data, written by the caller.
    mutating func line(_ write: (inout [UInt8]) -> Void) throws {
        write(&bytes)
        try endLine()
    }

    /// Adds a line of JSON.
    mutating func json(_ write: (inout JSONWriter) -> Void) throws {
        var json = JSONWriter()
        write(&json)
        bytes.append(contentsOf: json.bytes)
        try endLine()
    }

    /// Adds lines that are whole.
    mutating func lines(_ lines: [UInt8]) throws {
        bytes += lines
        if bytes.count >= Self.bufferSize { try flush() }
    }

    private mutating func endLine() throws {
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count >= Self.bufferSize { try flush() }
    }

    /// Writes what is buffered.
    /// - Throws: ``CommandFault`` with exit status 73; without words when the reader has gone away, as `head` does.
    mutating func flush() throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw CommandFault(
                    .cannotWrite, errno == EPIPE ? "" : "can't write the output: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(count)
        }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Says something to the person at the terminal.
    static func note(_ text: String) { terminal(text + "\n") }

    /// Writes to the standard error as it is.
    static func terminal(_ text: String) {
        let line = Array(text.utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension String {
    /// The text with spaces behind it up to `width` characters.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// The text with control characters shown as escapes, so that it can't change a terminal.
    var printable: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
