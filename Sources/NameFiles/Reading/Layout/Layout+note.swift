extension Layout {
    /// The lines that say how a file is understood: its format, and the use of its columns. Empty for a plain list.
    /// - Parameters:
    ///   - file: its name.
    ///   - headerLine: the line of the header, if there is one.
    ///   - isUTF8: whether the beginning of the file is.
    func note(of file: String, _ selection: Selection, headerLine: Int, isUTF8: Bool) -> String {
        if format == .lines, header == nil, isUTF8 { return "" }
        var lines = ["\(file): \(kind(headerLine))"]
        if let uses = uses(selection) { lines.append("  \(uses)") }
        if !isUTF8 {
            lines.append("  Some of it is not UTF-8. If it is Windows-1252: iconv -f WINDOWS-1252 -t UTF-8")
        }
        return lines.joined(separator: "\n")
    }

    private func kind(_ headerLine: Int) -> String {
        switch format {
        case .lines: return "one name a line" + (header == nil ? "" : ", header in line \(headerLine)")
        case .json: return "one JSON object a line"
        case .array: return "a JSON array" + (member.map { " in the member \($0)" } ?? "")
        case .separated(let separator):
            let between =
                switch separator {
                case UInt8(ascii: ","): "CSV"
                case UInt8(ascii: "\t"): "fields with tabs between them"
                default: "CSV with \(Unicode.Scalar(separator)) between the fields"
                }
            return between + (header == nil ? ", no header" : ", header in line \(headerLine)")
        }
    }

    private func uses(_ selection: Selection) -> String? {
        var uses = zip(columns, selection.roles).enumerated().compactMap { index, column -> String? in
            let (place, role) = column
            switch format {
            case .lines: return nil
            case .json, .array:
                // An element that is a string is the name.
                if paths[index].keys.isEmpty { return nil }
                return paths[index].isOptional ? nil : "\(paths[index].text) → \(role)"
            case .separated:
                guard place != Self.noColumn else { return nil }
                return "\(header?[place] ?? "column \(place + 1)") → \(role)"
            }
        }
        guard !uses.isEmpty, header != nil || fields > 1 || format.separator == nil else { return nil }
        if !carried.isEmpty { uses.append("carried: " + ColumnChoice.list(carried, atMost: 6)) }
        let unused = (header ?? []).enumerated().filter { !$0.element.isEmpty && !columns.contains($0.offset) }
        let used = uses.joined(separator: ", ")
        if unused.isEmpty { return used }
        let rest = "not used: " + ColumnChoice.list(unused.map(\.element), atMost: 6)
        return used + (used.count + rest.count < 75 ? " · " : "\n  ") + rest
    }
}
