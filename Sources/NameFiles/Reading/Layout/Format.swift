/// The format of a file's records.
package enum Format: Hashable, Sendable {
    /// One record a line, without columns or a header.
    case lines
    /// Fields separated by this byte: CSV, TSV. Quotes are as in RFC 4180, and where that is silent as in Python's
    /// `csv`.
    case separated(by: UInt8)
    /// One JSON object a line.
    case json
    /// The elements of one JSON array.
    case array

    package static let csv = Format.separated(by: UInt8(ascii: ","))
    package static let tsv = Format.separated(by: UInt8(ascii: "\t"))

    /// The format that the file's extension implies, with or without `.gz` after it; nil when it implies none.
    package init?(path: String) {
        let file = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
        var parts = file.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        if parts.last == "gz" || parts.last == "gzip" { parts.removeLast() }
        guard parts.count > 1 else { return nil }
        switch parts.last {
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "ndjson", "jsonl", "json": self = .json
        case "txt": self = .lines
        default: return nil
        }
    }

    /// The format that the first line suggests: the start of an object means JSON, a tab means TSV, a comma CSV.
    init(firstLine line: some Collection<UInt8>) {
        let start = line.drop(while: \.isBlank)
        if start.first == UInt8(ascii: "{") || start.beginsArray {
            self = .json
        } else if line.contains(UInt8(ascii: "\t")) {
            self = .tsv
        } else if line.contains(UInt8(ascii: ",")) {
            self = .csv
        } else {
            self = .lines
        }
    }

    /// The byte between fields.
    var separator: UInt8? {
        if case .separated(let separator) = self { separator } else { nil }
    }
}

extension UInt8 {
    /// Whether this is a space, a tab or a part of a line end, which may surround JSON.
    @inline(__always)
    var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
}

extension Collection<UInt8> {
    /// Whether this looks like the first line of a JSON array of objects or strings.
    fileprivate var beginsArray: Bool {
        guard first == UInt8(ascii: "[") else { return false }
        let rest = dropFirst().drop(while: \.isBlank)
        return rest.isEmpty || rest.first == UInt8(ascii: "{") || rest.first == UInt8(ascii: "\"")
    }
}
