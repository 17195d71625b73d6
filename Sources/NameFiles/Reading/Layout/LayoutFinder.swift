/// Detects the layout of a file from its first bytes.
struct LayoutFinder {
    /// The result: the layout, and the size of what precedes the first record.
    struct Finding {
        var layout: Layout
        /// The bytes and physical lines of the byte order mark, the header and the blank lines before it.
        var bytes: Int
        var lines: Int
    }

    /// The path of the file, which may imply the format, and its name in messages.
    let path: String
    let name: String
    let selection: Selection
    let longestRecord: Int

    /// The layout of a file that begins with `bytes`.
    /// - Parameter isWhole: whether these are all bytes. At most ``window`` bytes are examined, so that the result does
    ///   not depend on how many were read.
    /// - Returns: nil when more bytes are needed.
    func find(in bytes: ArraySlice<UInt8>, isWhole: Bool) throws(RecordsError) -> Finding? {
        let isLast = isWhole || bytes.count >= window
        guard bytes.count >= Self.longestMark || isLast else { return nil }
        try refuseOtherEncodings(bytes)
        try refuseOtherCompressions(bytes)
        let mark = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        let text = bytes.prefix(window).dropFirst(mark)
        // Blank lines before the first record carry no information.
        let blank = text.prefix { $0 == ByteSearch.lineFeed || $0 == ByteSearch.carriageReturn }
        let first = text[blank.endIndex...]
        let line = first.prefix { $0 != ByteSearch.lineFeed && $0 != ByteSearch.carriageReturn }
        guard line.endIndex < text.endIndex || isLast else { return nil }
        let format = try format(line: line)
        switch format {
        case .lines:
            try refuseColumns()
            let columns = selection.columns.map { $0.isRequired ? 0 : Layout.noColumn }
            return Finding(
                layout: Layout(format: .lines, columns: columns, longestRecord: longestRecord), bytes: mark, lines: 0)
        case .json:
            guard isLast || first.contains(ByteSearch.lineFeed) else { return nil }
            return Finding(layout: try json(first), bytes: mark, lines: 0)
        case .separated:
            guard let record = try firstRecord(of: first, format, isLast: isLast, isWhole: isWhole) else { return nil }
            var finding = try separated(format, record)
            if finding.layout.header != nil {
                finding.bytes += blank.count
                finding.lines += lineEnds(in: blank)
            }
            finding.bytes += mark
            return finding
        }
    }

    /// The number of bytes examined: a byte order mark, and a record with its line end.
    var window: Int { longestRecord + Self.longestMark + 2 }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let longestMark = 4

    private func refuseOtherEncodings(_ bytes: ArraySlice<UInt8>) throws(RecordsError) {
        let encoding: String
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            encoding = "UTF-32"
        } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            encoding = "UTF-16"
        } else {
            return
        }
        throw RecordsError(
            .unreadable, "\(name) is \(encoding), not UTF-8: convert it first, with iconv -f \(encoding) -t UTF-8")
    }

    /// Names formats that are likely to be given by mistake. Gzip data have already been decompressed.
    private func refuseOtherCompressions(_ bytes: ArraySlice<UInt8>) throws(RecordsError) {
        let kinds: [(magic: [UInt8], what: String, remedy: String)] = [
            ([0x50, 0x4B, 3, 4], "a ZIP archive, as the workbooks of Excel are", "save it as CSV first, or unzip it"),
            ([0x28, 0xB5, 0x2F, 0xFD], "compressed by zstd", "decompress it first, with zstd -dc"),
            ([0xFD, 0x37, 0x7A, 0x58], "compressed by xz", "decompress it first, with xz -dc"),
        ]
        for kind in kinds where bytes.starts(with: kind.magic) {
            throw RecordsError(.unreadable, "\(name) is \(kind.what): \(kind.remedy)")
        }
    }

    /// The format that was selected, or that the file's extension implies, or that the first line suggests.
    private func format(line: ArraySlice<UInt8>) throws(RecordsError) -> Format {
        var format = selection.format ?? Format(path: path)
        if let separator = selection.separator, selection.format != .lines, selection.format != .json {
            format = .separated(by: separator)
        }
        if format == nil {
            format = Format(firstLine: line)
            // The selection requires a header or a named column, so the file has at least one column.
            if format == .lines, selection.header == true || selection.namesColumns { format = .csv }
        }
        if let separator = format?.separator, [0, 0x0A, 0x0D, 0x22].contains(separator) {
            throw RecordsError(.unreadable, "\(name) can't have a quote, a line end or NUL between fields")
        }
        if format == .json, line.drop(while: \.isBlank).first == UInt8(ascii: "[") {
            throw RecordsError(
                .unreadable, "\(name) is one JSON array, not one object a line: convert it first, with jq -c '.[]'")
        }
        return format ?? .lines
    }

    private func refuseColumns() throws(RecordsError) {
        let required = selection.columns.filter(\.isRequired)
        guard selection.header != true, required == [.usual] || required == [.number(1)] else {
            throw RecordsError(
                .unreadable, "\(name) is read as lines, which have no header and no columns: use --format csv if it has"
            )
        }
    }

    private func json(_ first: ArraySlice<UInt8>) throws(RecordsError) -> Layout {
        let line = first.prefix { $0 != ByteSearch.lineFeed }
        let choice = ColumnChoice(name: name, selection: selection)
        let paths = try choice.paths(keys: JSONLine.keys(in: line), isEmpty: line.isEmpty)
        return Layout(
            format: .json, columns: Array(paths.indices), paths: paths, longestRecord: longestRecord)
    }

    private func separated(_ format: Format, _ record: ArraySlice<UInt8>) throws(RecordsError) -> Finding {
        let fields = self.fields(of: record, format)
        let choice = ColumnChoice(name: name, selection: selection)
        let trimmed = fields.map { String($0.trimmed) }
        let header = choice.hasHeader(trimmed) ? trimmed : nil
        let layout = Layout(
            format: format, header: fields.isEmpty ? nil : header,
            columns: try choice.choose(header: header, fields: trimmed), fields: fields.count,
            longestRecord: longestRecord)
        return Finding(
            layout: layout, bytes: header == nil ? 0 : record.count, lines: header == nil ? 0 : lineEnds(in: record))
    }

    /// The first record with its line end; nil while it is incomplete.
    private func firstRecord(
        of bytes: ArraySlice<UInt8>, _ format: Format, isLast: Bool, isWhole: Bool
    ) throws(RecordsError) -> ArraySlice<UInt8>? {
        var scanner = BorderScanner(format)
        let end = Chunk(bytes).search { scanner.scan($0, to: bytes.count, for: .first, isWhole: isWhole) }
        guard let end = end ?? (isWhole ? bytes.count : nil) else {
            guard isLast else { return nil }
            throw tooLong
        }
        let record = bytes.prefix(end)
        guard record.count - record.lineEndCount <= longestRecord else { throw tooLong }
        return record
    }

    private var tooLong: RecordsError {
        RecordsError(
            .unreadable,
            "\(name) begins with a record of more than \(longestRecord) bytes, so its columns can't be detected: "
                + "close its quotes, or give its --format")
    }

    /// All fields of a record.
    private func fields(of record: ArraySlice<UInt8>, _ format: Format) -> [String] {
        guard !record.isEmpty, let separator = format.separator else { return [] }
        let most = record.count { $0 == separator } + 1
        let everything = Layout(format: format, columns: Array(0..<most), longestRecord: longestRecord)
        let records = Records(Chunk(record), everything)
        return (0..<most).compactMap { column in
            records.bytes(of: 0, column: column).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func lineEnds(in bytes: ArraySlice<UInt8>) -> Int {
        Chunk(bytes).search { $0.lineEnds(from: 0, to: bytes.count, returns: true) }
    }
}

extension ArraySlice<UInt8> {
    /// The length of the line end at the end; 0 when there is none.
    var lineEndCount: Int {
        guard let last, last == ByteSearch.lineFeed || last == ByteSearch.carriageReturn else { return 0 }
        return last == ByteSearch.lineFeed && dropLast().last == ByteSearch.carriageReturn ? 2 : 1
    }
}

extension String {
    /// The string without white space and invisible characters around it.
    fileprivate var trimmed: Substring {
        func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        }
        let start = unicodeScalars.drop(while: isUnseen)
        return start.lastIndex { !isUnseen($0) }.map { Substring(start[...$0]) } ?? ""
    }
}
