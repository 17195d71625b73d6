import Foundation

@testable import NameFiles

/// A file of names in one format, with rows that are damaged in the ways typical of that format.
enum Sample: String, CaseIterable {
    case lines = "names.txt"
    case csv = "names.csv"
    case tsv = "names.tsv"
    case json = "names.ndjson"

    /// - Parameter rows: the number of rows besides the header.
    func bytes(rows: Int) throws -> [UInt8] {
        var maker = try NameMaker(seed: 7)
        var bytes: [UInt8] = []
        if let separator { bytes += ["id", "username", "note\n"].joined(separator: separator).utf8 }
        for row in 0..<rows {
            // Some names are repeated now and then.
            let name =
                row % 5 == 4 ? Array("Again\(row % 100)_x".utf8) : row % 7 == 6 ? [] : maker.next()
            bytes += row % 41 == 40 ? damaged(row) : record(row, name)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// The number of rows of the sample that can't be read, besides rows with a name that is not UTF-8.
    static func damaged(_ rows: Int) -> Int { rows / 41 }

    private var separator: String? {
        switch self {
        case .csv: ","
        case .tsv: "\t"
        case .lines, .json: nil
        }
    }

    private func record(_ row: Int, _ name: [UInt8]) -> [UInt8] {
        switch self {
        case .lines: return name
        case .csv, .tsv:
            let quoted = name.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
            let mark = [UInt8(ascii: "\"")]
            // A note with a line end makes line numbers and record numbers differ.
            let note = row % 13 == 0 ? "\"two\nlines\"" : "note"
            let separator = Array((separator ?? "").utf8)
            return [Array("\(row)".utf8), mark + quoted + mark, Array(note.utf8)].joined(separator: separator).map {
                $0
            }
        case .json:
            guard let text = String(validating: name, as: UTF8.self),
                let object = try? JSONSerialization.data(withJSONObject: ["id": row, "username": text])
            else { return Array(#"{"username":""#.utf8) + name + Array(#""}"#.utf8) }
            return [UInt8](object)
        }
    }

    private func damaged(_ row: Int) -> [UInt8] {
        switch self {
        case .lines: [0xFF, 0xFE]
        case .csv, .tsv:
            [[], Array("1".utf8), Array(repeating: "x", count: 5).joined(separator: separator ?? "").utf8.map { $0 }][
                row % 3]
        case .json:
            [
                [], Array("not JSON".utf8), Array(#"{"id":1}"#.utf8), Array(#"{"username":7}"#.utf8),
                Array(#"{"username":"x"} more"#.utf8), Array("[1]".utf8),
            ][row % 6]
        }
    }
}
