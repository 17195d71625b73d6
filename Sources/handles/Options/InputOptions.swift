import ArgumentParser
import NameFiles

/// Options for reading a file of names, common to all commands that take one.
struct InputOptions: ParsableArguments {
    @Option(help: "Format: lines, csv, tsv, ndjson or auto.") var format = FormatChoice.auto
    @Option(
        name: [.long, .customLong("handle-column")],
        help: ArgumentHelp(
            "The column with the names: its name in the header, its number from 1, or for NDJSON a path such as user.name.",
            valueName: "name or number"))
    var column: String?
    @Flag(inversion: .prefixedNo, help: "The first record is a header. (default: detected)") var header: Bool?
    @Option(help: ArgumentHelp("Field separator: a character, or tab. (default: detected)", valueName: "character"))
    var separator: String?
    @Option(
        help: ArgumentHelp(
            "Columns to carry into the report, with commas between them, or all for all that have no other use.",
            valueName: "columns"))
    var carry: String?

    enum FormatChoice: String, ExpressibleByArgument, CaseIterable {
        case auto, lines, csv, tsv, ndjson
    }

    /// - Parameter columns: each by name or number; nil for the default column.
    func selection(columns: [String?]) throws -> Selection {
        let separator = try separator.map { text in
            if text == "tab" || text == "\\t" { return UInt8(ascii: "\t") }
            guard let byte = text.utf8.first, text.utf8.count == 1, byte >= 0x20 || byte == 0x09, byte != 0x22 else {
                throw ValidationError("--separator is one ASCII character, such as ';', or tab.")
            }
            return byte
        }
        let format: Format? =
            switch self.format {
            case .auto: separator.map(Format.separated(by:))
            case .lines: .lines
            case .csv: separator.map(Format.separated(by:)) ?? .csv
            case .tsv: .tsv
            case .ndjson: .json
            }
        var selection = Selection(
            format: format,
            columns: columns.map { $0.map(Self.column) ?? .usual }, header: header, separator: separator)
        if let carry {
            let names = carry.split(separator: ",").map { String($0).trimmed }
            selection.carried = names == ["all"] ? .all : .some(names.map(Self.column))
        }
        return selection
    }

    /// A column by its name or its number.
    static func column(_ text: String) -> Selection.Column {
        Int(text).map { $0 > 0 ? .number($0) : .name(text) } ?? .name(text)
    }
}
