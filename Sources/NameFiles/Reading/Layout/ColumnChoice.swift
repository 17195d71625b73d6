/// Decides whether a file has a header and which of its columns are selected.
struct ColumnChoice {
    /// The name of the file in messages.
    let name: String
    let selection: Selection

    /// Whether the first record is a header: when the selection says so, when a column is chosen by name, or by its
    /// words.
    func hasHeader(_ fields: [String]) -> Bool {
        selection.header ?? (selection.namesColumns || HeaderWord.areHeader(fields))
    }

    /// The positions of the chosen columns among `fields`.
    /// - Parameter header: the fields of the header, if there is one.
    func choose(header: [String]?, fields: [String]) throws(RecordsError) -> [Int] {
        var columns: [Int] = []
        for column in selection.columns {
            columns.append(try place(column, header: header, fields: fields, besides: columns))
        }
        return columns
    }

    /// - Parameter taken: the columns that were chosen already.
    func place(
        _ column: Selection.Column, header: [String]?, fields: [String], besides taken: [Int] = []
    ) throws(RecordsError) -> Int {
        switch column {
        case .number(let number): try place(number, of: fields)
        case .name(let wanted): try place(wanted, in: header)
        case .usual: try usualPlace(in: header, fields: fields)
        case .meaning(let wanted): try meaningPlace(wanted, in: header ?? [], besides: taken)
        case .optional(let wanted): try optionalPlace(wanted, in: header ?? [], besides: taken)
        }
    }

    /// The chosen fields of JSON objects.
    /// - Parameters:
    ///   - fields: those of the first object; nil when the first text is something else.
    ///   - mayBeAbsent: whether the records may have no fields: they are strings, or there are none.
    func paths(_ fields: [JSONLine.Field]?, mayBeAbsent: Bool) throws(RecordsError) -> [Layout.Path] {
        var paths: [Layout.Path] = []
        for (index, column) in selection.columns.enumerated() {
            let path: String
            switch column {
            case .name(let name):
                path = fields?.first { $0.path == name }?.path ?? field([name], of: fields, index)?.path ?? name
            case .meaning(let name), .optional(let name):
                path = field(HeaderWord.names(of: name), of: fields, index, besides: paths)?.path ?? name
            case .number: throw hasNoNumbers
            case .usual:
                if let field = field(selection.usual, of: fields, index) {
                    path = field.path
                } else if mayBeAbsent {
                    // The element itself is the name.
                    path = ""
                } else if let fields {
                    let keys = fields.map(\.path)
                    let found = keys.isEmpty ? "no fields" : "only the fields \(Self.list(keys))"
                    throw unreadable("has \(found) in its first objects: choose one with --column NAME")
                } else {
                    throw unreadable("does not begin with a JSON object in one line: write one a line, as jq -c does")
                }
            }
            paths.append(
                Layout.Path(
                    keys: Array(path.utf8), isOptional: !column.isRequired,
                    values: selection.ids.contains(index) ? .ids : .texts))
        }
        return paths
    }

    /// The first of the names that a field with text has, as its key; else as its key in an inner object.
    /// - Parameter taken: the fields that other columns have.
    private func field(
        _ names: [String], of fields: [JSONLine.Field]?, _ index: Int, besides taken: [Layout.Path] = []
    ) -> JSONLine.Field? {
        let texts = (fields ?? []).filter { field in
            (field.kind == .string || selection.ids.contains(index) && field.kind == .number)
                && !taken.contains { $0.keys.elementsEqual(field.path.utf8) }
        }
        for depth in 1...2 {
            for name in names.map(HeaderWord.key) {
                let found = texts.first { $0.keys.count == depth && HeaderWord.key($0.keys[depth - 1]) == name }
                if let found { return found }
            }
        }
        return nil
    }

    private func place(_ number: Int, of fields: [String]) throws(RecordsError) -> Int {
        guard number >= 1, number <= fields.count || fields.isEmpty else {
            throw unreadable(
                "has no column \(number): choose one of \(Self.list(fields)), "
                    + (fields.count == 1 ? "which is number 1" : "numbered 1 to \(fields.count)"))
        }
        return number - 1
    }

    /// The column named `wanted`; if there is none, a column with the same name in another case.
    private func place(_ wanted: String, in header: [String]?) throws(RecordsError) -> Int {
        guard let header else {
            throw unreadable("is read without a header, so it has no column \(wanted): choose it with --column NUMBER")
        }
        guard !header.isEmpty else { throw unreadable("is empty, so it has no column \(wanted)") }
        // A column in the very capitals takes precedence.
        if header.count(where: { $0 == wanted }) == 1, let place = header.firstIndex(of: wanted) { return place }
        if let place = try onlyPlace(wanted, in: header) { return place }
        throw unreadable("has no column \(wanted), only \(Self.list(header))")
    }

    private func usualPlace(in header: [String]?, fields: [String]) throws(RecordsError) -> Int {
        guard fields.count > 1 else { return 0 }
        guard let header else {
            throw unreadable(
                "has \(fields.count.counted("column")), and begins with \(Self.list(fields)): choose the column of the names, "
                    + "with --column NAME if that is a header, else with --column NUMBER")
        }
        for name in selection.usual {
            if let place = try onlyPlace(name, in: header) { return place }
        }
        throw unreadable("has the columns \(Self.list(header)): choose one with --column NAME or --column NUMBER")
    }

    private func meaningPlace(
        _ wanted: String, in header: [String], besides taken: [Int]
    ) throws(RecordsError) -> Int {
        let place = try optionalPlace(wanted, in: header, besides: taken)
        guard place == Layout.noColumn else { return place }
        throw unreadable("has no column \(wanted)" + (header.isEmpty ? "" : ", only \(Self.list(header))"))
    }

    /// - Parameter taken: the columns that were chosen already.
    private func optionalPlace(
        _ wanted: String, in header: [String], besides taken: [Int]
    ) throws(RecordsError) -> Int {
        for name in HeaderWord.names(of: wanted) {
            if let place = try onlyPlace(name, in: header, mayChoose: false), !taken.contains(place) { return place }
        }
        return Layout.noColumn
    }

    /// The position of the column of this name, in any spelling; nil if there is none.
    /// - Parameter mayChoose: whether the column can also be chosen by its number.
    private func onlyPlace(
        _ wanted: String, in header: [String], mayChoose: Bool = true
    ) throws(RecordsError) -> Int? {
        let key = HeaderWord.key(wanted)
        let places = header.indices.filter { HeaderWord.key(header[$0]) == key }
        guard places.count > 1 else { return places.first }
        // Of `username` and `user_name`, the one that was asked for.
        let exact = places.filter { header[$0].lowercased() == wanted.lowercased() }
        if exact.count == 1 { return exact[0] }
        let numbers = places.map { String($0 + 1) }.joined(separator: ", ")
        throw unreadable(
            "has \(places.count) columns called \(header[places[0]]), with the numbers \(numbers): rename all but one"
                + (mayChoose ? ", or choose one by its number" : ""))
    }

    var hasNoNumbers: RecordsError {
        unreadable("has no column numbers, as it is JSON: choose a field with --column NAME")
    }

    func unreadable(_ what: String) -> RecordsError { RecordsError(.unreadable, "\(name) \(what)") }

    /// The first few names, each cut to a readable length.
    static func list(_ names: [String], atMost longestList: Int = 20) -> String {
        let shown = names.prefix(longestList).map { $0.count <= longestName ? $0 : $0.prefix(longestName) + "…" }
        return shown.joined(separator: ", ") + (names.count > longestList ? " …" : "")
    }

    private static let longestName = 40
}
