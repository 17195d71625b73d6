import HandleRules

/// The separator that the first lines of a file have between their fields.
struct Separators {
    /// The line `sep=;`, by which Excel is told the separator; it is no record.
    static func declared(in line: ArraySlice<UInt8>) -> UInt8? {
        let line = line.filter { $0 != ByteSearch.quote }
        guard line.count == 5, String(decoding: line[..<4], as: UTF8.self).lowercased() == "sep=" else { return nil }
        return line[4]
    }

    private static let candidates = [",", ";", "\t", "|"].map { UInt8(ascii: $0) }
    private static let mostLines = 20

    /// The first lines without those that are blank. The last one may be incomplete.
    private var lines: [ArraySlice<UInt8>]

    /// Whether further bytes would change nothing.
    var areKnown: Bool { lines.count == Self.mostLines }

    /// - Parameter isWhole: whether the last line of `text` is complete without a line end.
    init(_ text: ArraySlice<UInt8>, isWhole: Bool) {
        lines = []
        var rest = text
        while lines.count < Self.mostLines, !rest.isEmpty {
            let line = rest.prefix { $0 != ByteSearch.lineFeed && $0 != ByteSearch.carriageReturn }
            guard line.endIndex < rest.endIndex || isWhole || lines.isEmpty else { break }
            if !line.allSatisfy(\.isBlank) { lines.append(line) }
            rest = rest[line.endIndex...].dropFirst()
        }
    }

    /// The separator in place of `usual`: one that every line has equally often, if `usual` is not such a one. If both
    /// are, the header decides.
    func found(insteadOf usual: UInt8?) -> UInt8? {
        let regular = Self.candidates.filter(isRegular)
        guard let usual, regular.contains(usual) else { return regular.count == 1 ? regular.first : nil }
        return HeaderWord.areHeader(fields(by: usual)) ? nil : regular.first { HeaderWord.areHeader(fields(by: $0)) }
    }

    /// Whether every line has the separator, and all equally often, not counting further ones at the end of a line.
    private func isRegular(_ separator: UInt8) -> Bool {
        guard let count = lines.first.map({ Self.count(separator, in: $0) }), count > 0 else { return false }
        return lines.allSatisfy { line in
            let end = line.lastIndex { $0 != separator && !$0.isBlank } ?? line.startIndex
            return Self.count(separator, in: line) >= count && Self.count(separator, in: line[...end]) <= count
        }
    }

    private func fields(by separator: UInt8) -> [String] {
        (lines.first ?? []).split(separator: separator, omittingEmptySubsequences: false).map {
            String(decoding: $0.filter { $0 != ByteSearch.quote }, as: UTF8.self).trimmingUnseen
        }
    }

    /// The number of separators outside quotes.
    private static func count(_ separator: UInt8, in line: ArraySlice<UInt8>) -> Int {
        var (count, isQuoted) = (0, false)
        for byte in line {
            if byte == ByteSearch.quote { isQuoted.toggle() }
            if byte == separator, !isQuoted { count += 1 }
        }
        return count
    }
}
