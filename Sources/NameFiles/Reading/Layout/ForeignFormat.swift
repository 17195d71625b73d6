/// Content that people have instead of a list of names. It is recognized by its first bytes, and named in an error with
/// the command that converts it. Gzip data have already been decompressed.
package struct ForeignFormat {
    /// The kind of the content, to be read after "is".
    package let kind: String
    /// The way to a readable file.
    package let remedy: String

    private init(_ kind: String, _ remedy: String) { (self.kind, self.remedy) = (kind, remedy) }

    private init(encoding: String) {
        self.init("\(encoding), not UTF-8", "convert it first, with iconv -f \(encoding) -t UTF-8")
    }

    /// The foreign format of a file that begins with `bytes`; nil if there is none.
    /// - Parameter isText: whether the format of the text is still open.
    package init?(_ bytes: ArraySlice<UInt8>, isText: Bool) {
        if let encoding = Self.encoding(bytes) {
            self.init(encoding: encoding)
        } else if let kind = Self.binaries.first(where: { bytes.starts(with: $0.magic) }) {
            self.init(kind.what, kind.remedy)
        } else if isText, let found = Self.text(bytes) {
            self = found
        } else {
            return nil
        }
    }

    /// The bytes in which texts are looked at.
    private static let head = 4096

    private static func encoding(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        // Without a byte order mark: every other byte of Latin letters is NUL.
        let start = Array(bytes.prefix(64))
        func zeros(from first: Int) -> Int { stride(from: first, to: start.count, by: 2).count { start[$0] == 0 } }
        let (even, odd) = (zeros(from: 0), zeros(from: 1))
        guard start.count >= 8, max(even, odd) * 4 > start.count, min(even, odd) == 0 else { return nil }
        return odd > even ? "UTF-16LE" : "UTF-16BE"
    }

    private static let binaries: [(magic: [UInt8], what: String, remedy: String)] = [
        ([0x50, 0x4B, 3, 4], "a ZIP archive, as the workbooks of Excel are", "save it as CSV first, or unzip it"),
        ([0xD0, 0xCF, 0x11, 0xE0], "a workbook of an old Excel", "save it as CSV first"),
        ([0x28, 0xB5, 0x2F, 0xFD], "compressed by zstd", "decompress it first, with zstd -dc"),
        ([0xFD, 0x37, 0x7A, 0x58], "compressed by xz", "decompress it first, with xz -dc"),
        (Array("BZh".utf8) + [0x39], "compressed by bzip2", "decompress it first, with bzip2 -dc"),
        (
            Array("SQLite format 3".utf8) + [0], "a database of SQLite",
            "export the table first, with sqlite3 -header -csv FILE 'SELECT … FROM …'"
        ),
        (
            Array("PGDMP".utf8), "a dump of pg_dump in its own format",
            "restore it, and export the table with psql -c '\\copy (SELECT … FROM …) TO users.csv CSV HEADER'"
        ),
        (Array("%PDF".utf8), "a PDF", "ask for the list as CSV"),
        (Array("PAR1".utf8), "a Parquet file", "convert it to CSV first"),
    ]

    private static func text(_ bytes: ArraySlice<UInt8>) -> ForeignFormat? {
        let text = String(decoding: bytes.prefix(head), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.lowercased() }
        // LDIF may begin with comments.
        guard let first = lines.first(where: { !$0.hasPrefix("#") }) else { return nil }
        if first.hasPrefix("<?xml") || first.hasPrefix("<!doctype") || first.hasPrefix("<html") {
            return ForeignFormat("XML or HTML", "export the list as CSV or JSON")
        }
        if first.hasPrefix("dn:") || first.hasPrefix("version:") && lines.contains(where: { $0.hasPrefix("dn:") }) {
            return ForeignFormat(
                "LDIF", "take the names from it, with sed -n 's/^uid: //p' (or sAMAccountName in place of uid)")
        }
        let isSQL = lines.contains { line in
            let words = line.split(whereSeparator: \.isWhitespace).prefix(3)
            let isStatement = [["insert", "into"], ["replace", "into"], ["create", "table"], ["drop", "table"]].contains
            {
                words.starts(with: $0)
            }
            return isStatement && words.count > 2 || line.hasPrefix("-- mysql dump") || line.hasPrefix("-- postgresql ")
                || words.first == "copy" && line.hasSuffix("from stdin;")
        }
        guard isSQL else { return nil }
        return ForeignFormat(
            "a dump in SQL", "load it into a database, and export the table as CSV")
    }
}
