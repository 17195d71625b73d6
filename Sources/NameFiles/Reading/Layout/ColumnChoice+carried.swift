/// The columns that are only carried into the report.
extension ColumnChoice {
    /// The names and positions of these columns among `fields`.
    /// - Parameters:
    ///   - header: the fields of the header, if there is one.
    ///   - used: the positions of the other chosen columns.
    func carried(
        header: [String]?, fields: [String], besides used: [Int]
    ) throws(RecordsError) -> [(name: String, place: Int)] {
        var places: [Int] = []
        switch selection.carried {
        case .all: places = fields.indices.filter { !used.contains($0) }
        case .some(let columns):
            for column in columns { places.append(try place(column, header: header, fields: fields)) }
        }
        return places.map { place in
            let name = header?[place] ?? ""
            return (name.isEmpty ? "column_\(place + 1)" : name, place)
        }
    }

    /// The paths of these fields in JSON objects.
    /// - Parameters:
    ///   - fields: those of the first object.
    ///   - used: the other chosen fields.
    func carried(
        _ fields: [JSONLine.Field], besides used: [Layout.Path]
    ) throws(RecordsError) -> [Layout.Path] {
        var paths: [String] = []
        switch selection.carried {
        case .all:
            let others = fields.filter { field in !used.contains { $0.keys.elementsEqual(field.path.utf8) } }
            paths = others.filter { $0.kind != .object && $0.kind != .array }.map(\.path)
        case .some(let columns):
            for column in columns {
                guard case .name(let name) = column else { throw hasNoNumbers }
                let key = HeaderWord.key(name)
                let found = fields.first { $0.path == name } ?? fields.first { HeaderWord.key($0.path) == key }
                paths.append(found?.path ?? name)
            }
        }
        return paths.map { Layout.Path(keys: Array($0.utf8), isOptional: true, values: .all) }
    }
}
