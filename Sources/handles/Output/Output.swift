import Glibc
import HandleRegistry
import HandleRules
import Logging
import NIOConcurrencyHelpers
import NameFiles

/// Output of commands: data on the standard output, messages on the standard error.
struct Output {
    /// Whether results are objects of JSON, one a line.
    let isJSON: Bool
    /// Whether a result is a refusal.
    var hasRefused = false
    private let file = OutputFile()
    private var bytes: [UInt8] = []
    /// Made with the first rows, which set the widths of the columns.
    private var table: Table?

    /// Buffer size at which the data is written, to keep memory constant and system calls few.
    private static let bufferSize = 64 * 1024

    init(isJSON: Bool = false) { self.isJSON = isJSON }

    /// Adds a line of data.
    mutating func line(_ text: String) throws { try lines("\(text)\n".utf8) }

    /// Adds a line of JSON.
    mutating func json(_ write: (inout JSONWriter) -> Void) throws {
        var json = JSONWriter()
        write(&json)
        json.newLine()
        try lines(json.bytes)
    }

    /// Adds a result in one of two forms.
    mutating func result(_ text: @autoclosure () -> String, json write: (inout JSONWriter) -> Void) throws {
        if isJSON { try json(write) } else { try line(text()) }
    }

    /// Adds results as rows of a table, or as JSON. The first rows have the titles above them.
    /// - Parameter soft: titles of the columns that are cut first.
    mutating func rows<Row>(
        _ rows: [Row], _ titles: [String], soft: Set<String>, cells: (Row) -> [Table.Cell],
        json write: (inout JSONWriter, Row) -> Void
    ) throws {
        if isJSON { return try rows.forEach { row in try json { write(&$0, row) } } }
        let rows = rows.map(cells)
        if table == nil, !rows.isEmpty {
            table = Table(titles, soft: soft, sample: rows)
            try line(table?.header ?? "")
        }
        for row in rows { try line(table?.line(row) ?? "") }
    }

    /// Adds complete lines.
    mutating func lines(_ lines: some Sequence<UInt8>) throws {
        bytes += lines
        if bytes.count >= Self.bufferSize { try flush() }
    }

    /// Writes the data and then a message for the user.
    mutating func note(_ text: String) throws {
        try flush()
        Self.note(text)
    }

    /// Writes the data.
    /// - Throws: ``CommandFault`` for exit status 1 if there was a refusal; errors of ``flush()``.
    mutating func end() throws {
        try flush()
        if hasRefused { throw CommandFault.refused }
    }

    /// Writes the buffer.
    /// - Throws: `BatchError`; with an empty message after EPIPE, as when the reader is `head`.
    mutating func flush() throws {
        try file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// True to write messages for the user as lines of the JSON log, as `serve` and `push` do with `HANDLES_LOG=json`.
    static let notesAreJSON = NIOLockedValueBox(false)

    /// Writes messages as `HANDLES_LOG` says from now on, also one about an invalid setting.
    static func followLogFormat() {
        let format = getenv("HANDLES_LOG").map { String(cString: $0) }
        notesAreJSON.withLockedValue { $0 = format == Settings.LogFormat.json.rawValue }
    }

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
