/// Decides whether a file has a header and which of its columns are selected.
struct ColumnChoice {
    /// The name of the file in messages.
    let name: String
    let selection: Selection

    /// Whether the first record is a header.
    ///
    /// It is one when the selection says so, or when a column is chosen by name. Otherwise it is one when a field is a
    /// word of ``Selection/headerNames`` in any case and the other fields could be names of columns too: all different,
    /// no numbers, and no `@` in them. So a user named `login` alone in the first line of a file is taken for a header.
    /// With two such words a field may be repeated, so that a column chosen by its name is refused as ambiguous.
    func hasHeader(_ fields: [String]) -> Bool {
        if let header = selection.header { return header }
        if selection.namesColumns { return true }
        let words = fields.map { $0.lowercased() }.filter { !$0.isEmpty }
        let known = Set(words).intersection(Selection.headerNames).count
        return (known > 1 || known == 1 && Set(words).count == words.count)
            && !words.contains { Double($0) != nil || $0.contains("@") }
    }

    /// The positions of the chosen columns among `fields`.
    /// - Parameter header: the fields of the header, if there is one.
    func choose(header: [String]?, fields: [String]) throws(RecordsError) -> [Int] {
        var columns: [Int] = []
        for column in selection.columns {
            switch column {
            case .number(let number): columns.append(try place(number, of: fields))
            case .name(let wanted): columns.append(try place(wanted, in: header))
            case .usual: columns.append(try usualPlace(in: header, fields: fields))
            case .optional(let wanted):
                columns.append(try onlyPlace(wanted, in: header ?? [], mayChoose: false) ?? Layout.noColumn)
            }
        }
        return columns
    }

    /// The chosen fields of JSON objects.
    /// - Parameter keys: those of the first object; nil when there is none, or the first line is something else.
    func paths(keys: [String]?, isEmpty: Bool) throws(RecordsError) -> [Layout.Path] {
        var paths: [Layout.Path] = []
        for (index, column) in selection.columns.enumerated() {
            let path: String
            switch column {
            case .name(let name), .optional(let name): path = name
            case .number: throw unreadable("has no column numbers, as it is JSON: choose a field with --column NAME")
            case .usual:
                if let name = Selection.usualNames.first(where: { isEmpty || keys?.contains($0) == true }) {
                    path = name
                } else if let keys {
                    let found = keys.isEmpty ? "no fields" : "only the fields \(Self.list(keys))"
                    throw unreadable("has \(found) in its first object: choose one with --column NAME")
                } else {
                    throw unreadable("does not begin with a JSON object in one line: write one a line, as jq -c does")
                }
            }
            paths.append(
                Layout.Path(keys: Array(path.utf8), isOptional: !column.isRequired, hasIDs: index == selection.ids))
        }
        return paths
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
        let usesSemicolons = header.count == 1 && header[0].contains(";")
        let hint = usesSemicolons ? "; its fields are separated by ;: use --separator ';'" : ""
        throw unreadable("has no column \(wanted), only \(Self.list(header))\(hint)")
    }

    private func usualPlace(in header: [String]?, fields: [String]) throws(RecordsError) -> Int {
        guard fields.count > 1 else { return 0 }
        guard let header else {
            throw unreadable(
                "has \(fields.count.counted("column")) and no header, and begins with \(Self.list(fields)): "
                    + "choose one with --column NUMBER")
        }
        for name in Selection.usualNames {
            if let place = try onlyPlace(name, in: header) { return place }
        }
        throw unreadable("has the columns \(Self.list(header)): choose one with --column NAME or --column NUMBER")
    }

    /// The position of the column of this name, in any case; nil if there is none.
    /// - Parameter mayChoose: whether the column can also be chosen by its number.
    private func onlyPlace(
        _ wanted: String, in header: [String], mayChoose: Bool = true
    ) throws(RecordsError) -> Int? {
        let lowercased = wanted.lowercased()
        let places = header.indices.filter { header[$0].lowercased() == lowercased }
        guard places.count > 1 else { return places.first }
        let numbers = places.map { String($0 + 1) }.joined(separator: ", ")
        throw unreadable(
            "has \(places.count) columns called \(wanted), with the numbers \(numbers): rename all but one"
                + (mayChoose ? ", or choose one by its number" : ""))
    }

    func unreadable(_ what: String) -> RecordsError { RecordsError(.unreadable, "\(name) \(what)") }

    /// The first few names, each cut to a readable length.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(longestList).map { $0.count <= longestName ? $0 : $0.prefix(longestName) + "…" }
        return shown.joined(separator: ", ") + (names.count > longestList ? " …" : "")
    }

    private static let longestList = 20
    private static let longestName = 40
}
