import HandleRules

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
        guard var finding = try finding(in: bytes, isWhole: isWhole) else { return nil }
        var sample = bytes.prefix(min(finding.bytes + Self.sample, window))
        // The last character may be cut.
        while let last = sample.last, last >= 0x80 { sample.removeLast() }
        finding.layout.note = finding.layout.note(
            of: name, selection, headerLine: finding.lines, isUTF8: String(validating: sample, as: UTF8.self) != nil)
        return finding
    }

    /// The bytes of which the encoding is looked at.
    private static let sample = 1 << 16

    private func finding(in bytes: ArraySlice<UInt8>, isWhole: Bool) throws(RecordsError) -> Finding? {
        let isLast = isWhole || bytes.count >= window
        guard bytes.count >= Self.longestMark || isLast else { return nil }
        if let foreign = ForeignFormat(bytes, isText: selection.format == nil) {
            throw unreadable("is \(foreign.kind): \(foreign.remedy)")
        }
        let mark = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        let text = bytes.prefix(window).dropFirst(mark)
        // Blank lines before the first record carry no information.
        var first = text[text.prefix(while: \.isBlank).endIndex...]
        while let before = text[..<first.startIndex].last, before != 0x0A, before != 0x0D {
            first = text[(first.startIndex - 1)...]
        }
        let line = first.prefix { $0 != ByteSearch.lineFeed && $0 != ByteSearch.carriageReturn }
        guard line.endIndex < text.endIndex || isLast else { return nil }
        let declared = selection.separator == nil ? Separators.declared(in: line) : nil
        let hasPreface = declared != nil || line.starts(with: Self.typePreface)
        if hasPreface { first = first[line.endIndex...].drop { $0 == 0x0A || $0 == 0x0D } }
        let separators = Separators(first, isWhole: isWhole)
        guard let format = try format(line: line, separators, declared: declared, isLast: isLast) else { return nil }
        switch format {
        case .lines:
            try refuseColumns()
            let columns = selection.columns.map { $0.isRequired ? 0 : Layout.noColumn }
            var layout = Layout(format: .lines, columns: columns, longestRecord: longestRecord)
            let header = String(decoding: line, as: UTF8.self).trimmingUnseen
            guard selection.format == nil, selection.header == nil, HeaderWord.certain.contains(HeaderWord.key(header))
            else { return Finding(layout: layout, bytes: mark, lines: 0) }
            layout.header = [header]
            let end = first[line.endIndex...].prefix { $0 == 0x0A || $0 == 0x0D }.prefix(2).endIndex
            return Finding(layout: layout, bytes: mark + text[..<end].count, lines: lineEnds(in: text[..<end]))
        case .json, .array:
            guard var finding = try json(text, isLast: isLast, isWhole: isWhole) else { return nil }
            finding.bytes += mark
            return finding
        case .separated:
            guard let record = try firstRecord(of: first, format, isLast: isLast, isWhole: isWhole) else { return nil }
            var finding = try separated(format, record)
            if finding.layout.header != nil || hasPreface {
                let before = text[..<first.startIndex]
                finding.bytes += before.count
                finding.lines += lineEnds(in: before)
            }
            finding.bytes += mark
            return finding
        }
    }

    /// The number of bytes examined: a byte order mark, and a record with its line end.
    var window: Int { longestRecord + Self.longestMark + 2 }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// The beginning of a first line that PowerShell's `Export-Csv` writes.
    private static let typePreface = Array("#TYPE ".utf8)
    private static let longestMark = 4

    private func unreadable(_ what: String) -> RecordsError { RecordsError(.unreadable, "\(name) \(what)") }

    /// The format that was selected, or that the file's extension and its first lines suggest.
    /// - Parameter declared: the separator of the line `sep=;`.
    /// - Returns: nil when more lines are needed.
    private func format(
        line: ArraySlice<UInt8>, _ separators: Separators, declared: UInt8?, isLast: Bool
    ) throws(RecordsError) -> Format? {
        let isText = selection.format != .lines && selection.format != .json
        if isText, let separator = selection.separator ?? declared {
            guard ![0, 0x0A, 0x0D, 0x22].contains(separator) else {
                throw unreadable("can't have a quote, a line end or NUL between fields")
            }
            return .separated(by: separator)
        }
        // An explicit format may still need its separator.
        var format = selection.format ?? Format(path: path) ?? Format(firstLine: line)
        // A text that begins like JSON is JSON, also in `names.txt`.
        if format == .lines, selection.format == nil, Format(firstLine: line) == .json { format = .json }
        // If the selection asks for a header or a column, the file has columns.
        let hasColumns = selection.header == true || selection.namesColumns
        let isOpen = selection.format == nil && (hasColumns || Format(path: path) == nil)
        switch format {
        case .json, .array: return format
        case .lines where !isOpen: return format
        case .separated where selection.format == .tsv: return format
        case .lines, .separated:
            guard separators.areKnown || isLast else { return nil }
            if let found = separators.found(insteadOf: format.separator) { return .separated(by: found) }
            return format == .lines && hasColumns && Format(path: path) == nil ? .csv : format
        }
    }

    private func refuseColumns() throws(RecordsError) {
        var required = selection.columns.filter(\.isRequired)
        if case .some(let carried) = selection.carried { required += carried }
        guard selection.header != true, required == [.usual] || required == [.number(1)] else {
            throw RecordsError(
                .unreadable, "\(name) is read as lines, which have no header and no columns: use --format csv if it has"
            )
        }
    }

    private func json(_ text: ArraySlice<UInt8>, isLast: Bool, isWhole: Bool) throws(RecordsError) -> Finding? {
        guard let shape = JSONShape.find(in: text, isWhole: isWhole, isLast: isLast) else { return nil }
        let choice = ColumnChoice(name: name, selection: selection)
        var (format, prefix) = (Format.json, 0)
        if case .array(let size, _) = shape { (format, prefix) = (.array, size) }
        let records = shape.firstRecords(of: text, isWhole: isWhole)
        guard records.count == JSONShape.mostRecords || isLast else { return nil }
        guard let first = records.first else { throw tooLong }
        let isString = format == .array && first.first == ByteSearch.quote
        if isString, case .name(let wanted)? = selection.columns.dropFirst().first(where: \.isRequired) {
            throw unreadable("is a JSON array of strings, so it has no field \(wanted)")
        }
        let mayBeAbsent = isString || first.allSatisfy(\.isBlank)
        let fields = mayBeAbsent ? [] : JSONLine.fields(of: first).map { _ in JSONLine.fields(of: records) }
        var paths = try choice.paths(fields, mayBeAbsent: mayBeAbsent)
        let carried = try choice.carried(fields ?? [], besides: paths)
        paths += carried
        var layout = Layout(
            format: format, columns: Array(paths.indices), carried: carried.map(\.text), paths: paths,
            longestRecord: longestRecord)
        if case .array(_, let member) = shape { layout.member = member }
        return Finding(layout: layout, bytes: prefix, lines: prefix == 0 ? 0 : lineEnds(in: text.prefix(prefix)))
    }

    private func separated(_ format: Format, _ record: ArraySlice<UInt8>) throws(RecordsError) -> Finding {
        let fields = self.fields(of: record, format)
        let choice = ColumnChoice(name: name, selection: selection)
        let trimmed = fields.map(\.trimmingUnseen)
        let header = choice.hasHeader(trimmed) ? trimmed : nil
        let columns = try choice.choose(header: header, fields: trimmed)
        let carried = try choice.carried(header: header, fields: trimmed, besides: columns)
        let layout = Layout(
            format: format, header: fields.isEmpty ? nil : header, columns: columns + carried.map(\.place),
            carried: carried.map(\.name), fields: fields.count, longestRecord: longestRecord)
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
