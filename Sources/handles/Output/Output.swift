import Glibc
import HandleRegistry
import HandleRules
import Logging
import NIOConcurrencyHelpers
import NameFiles

/// Output of commands: data on the standard output, messages on the standard error.
struct Output {
    private let file = OutputFile()
    private var bytes: [UInt8] = []

    /// Buffer size at which the data is written, to keep memory constant and system calls few.
    private static let bufferSize = 64 * 1024

    /// Adds a line of data.
    mutating func line(_ text: String) throws {
        bytes.append(contentsOf: text.utf8)
        try endLine()
    }

    /// Adds a line of JSON.
    mutating func json(_ write: (inout JSONWriter) -> Void) throws {
        var json = JSONWriter()
        write(&json)
        bytes.append(contentsOf: json.bytes)
        try endLine()
    }

    /// Adds complete lines.
    mutating func lines(_ lines: [UInt8]) throws {
        bytes += lines
        if bytes.count >= Self.bufferSize { try flush() }
    }

    private mutating func endLine() throws {
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count >= Self.bufferSize { try flush() }
    }

    /// Writes the buffer.
    /// - Throws: `BatchError`; with an empty message after EPIPE, as when the reader is `head`.
    mutating func flush() throws {
        try file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// True to write messages for the user as lines of the JSON log, as `serve` does with `HANDLES_LOG=json`.
    static let notesAreJSON = NIOLockedValueBox(false)

    /// Writes a message for the user.
    static func note(_ text: String, _ level: Logger.Level = .notice, _ metadata: Logger.Metadata = [:]) {
        if notesAreJSON.withLockedValue(\.self) {
            JSONLogHandler.write(level, text, metadata)
        } else {
            terminal(text + "\n")
        }
    }

    /// Writes to the standard error, unchanged.
    static func terminal(_ text: String) {
        let line = Array(text.utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension String {
    /// The text, padded with spaces to `width` characters.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// The text with control characters as escapes, so that it can't control the terminal.
    var printable: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.controlsText {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}
