import NameFiles
import Testing

@testable import NameFiles

/// All records of a file, with line numbers counted from 1 at its beginning.
struct FileReading: Equatable {
    struct Entry: Equatable {
        var line: Int
        /// The field of each selected column; nil if the record has no such field.
        var fields: [[UInt8]?]
        var fault: RecordFault?

        /// The fields as text, with `-` for a missing one.
        var text: String { fields.map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "-" }.joined(separator: "|") }
    }

    var entries: [Entry] = []
    var lines = 0
    var endsWithLineEnd = true
    /// The error that was thrown after the entries.
    var error: RecordsError?

    var texts: [String] { entries.map(\.text) }
    var faults: [RecordFault?] { entries.map(\.fault) }

    init(
        _ path: String, _ selection: Selection = Selection(), chunkSize: Int = 64 * 1024,
        longestRecord: Int = 1024 * 1024
    ) throws {
        try self.init(
            ChunkReader(path: path, selection: selection, chunkSize: chunkSize, longestRecord: longestRecord))
    }

    /// Reads with a given layout instead of a detected one, starting after the byte order mark.
    init(_ path: String, layout: Layout, chunkSize: Int) throws {
        let reader = try ChunkReader(ByteSource(path: path), chunkSize: chunkSize) { bytes, isWhole in
            guard bytes.count >= 3 || isWhole else { return nil }
            return .init(layout: layout, bytes: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0, lines: 0)
        }
        try self.init(reader)
    }

    private static let zeros = ArraySlice([UInt8](repeating: 0, count: Chunk.padding))

    init(_ reader: ChunkReader) throws {
        lines = reader.linesBefore
        do {
            while let chunk = try reader.next() {
                let padding = chunk.bytes[chunk.count...].prefix(Chunk.padding)
                let records = Records(chunk, reader.layout)
                // Not with #expect, which takes longer than the reading.
                if padding != Self.zeros || records.count == 0 { Issue.record("\(padding), \(records.count) records") }
                append(records)
            }
        } catch let error as RecordsError {
            self.error = error
        }
        endsWithLineEnd = reader.endsWithLineEnd
    }

    private mutating func append(_ records: Records) {
        for record in 0..<records.count {
            let fields = records.cells.indices.map { records.bytes(of: record, column: $0).map(Array.init) }
            entries.append(
                Entry(line: lines + records.line(record) + 1, fields: fields, fault: records.fault(record)))
        }
        lines += records.lineCount
    }
}

extension Scratch {
    /// The layout of a file with this name and text.
    func layout(_ name: String, _ text: String, _ selection: Selection = Selection()) throws -> Layout {
        try ChunkReader(path: file(name, text), selection: selection).layout
    }
}
