import HandleRegistry

/// The columns of the reports on files.
struct ReportColumns: Sendable {
    /// The columns that every report begins with. Later versions append columns, and never move one.
    static let common = [
        "line", "record", "input", "handle", "display", "result", "reasons", "duplicate", "first_line",
    ]

    /// The columns of one kind of report, which come next.
    private let own: [String]
    /// The columns of the file that are carried, which come last.
    let carried: [String]
    /// The index of the first carried column in ``Records/cells``.
    private let first: Int

    init(_ own: [String], _ layout: Layout) {
        (self.own, carried) = (own, layout.carried)
        first = layout.columns.count - layout.carried.count
    }

    /// The first line of a report in CSV. A carried column with the name of another one is renamed, so that the report
    /// can be read again.
    var header: [UInt8] {
        var bytes = Array((Self.common + own).joined(separator: ",").utf8)
        for name in carried {
            bytes.append(UInt8(ascii: ","))
            let isTaken = (Self.common + own).contains(name)
            CSVText.append(Array((isTaken ? "file_\(name)" : name).utf8)[...], to: &bytes, isRaw: false)
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// The carried fields of a row.
    func fields(_ row: Int, of chunk: JudgedChunk) -> [ArraySlice<UInt8>] {
        carried.indices.map { chunk.field(row, column: first + $0) }
    }

    /// Appends the carried fields of a row as CSV, each with a comma before it.
    func append(_ fields: [ArraySlice<UInt8>], to bytes: inout [UInt8], isRaw: Bool) {
        for field in fields {
            bytes.append(UInt8(ascii: ","))
            CSVText.append(field, to: &bytes, isRaw: isRaw)
        }
    }

    /// Writes the carried fields of a row as a member of an object.
    func write(_ fields: [ArraySlice<UInt8>], to json: inout JSONWriter) {
        guard !carried.isEmpty else { return }
        json.key("carried")
        json.object { json in
            for (name, field) in zip(carried, fields) {
                json.key(name: name)
                json.string(String(decoding: field, as: UTF8.self))
            }
        }
    }
}
