/// Rows in columns, as wide as the terminal; where the output is none, nothing is cut.
///
/// The first rows decide how wide the columns are, so that later ones can be written as they come.
struct Table {
    /// A text, in which control characters are shown as escapes.
    struct Cell {
        let text: String
        let colour: Style.Colour?

        init(_ text: String?, _ colour: Style.Colour? = nil) {
            self.text = (text ?? "").printable
            self.colour = colour
        }
    }

    private let titles: [Cell]
    private let widths: [Int]
    private let style: Style
    /// Whether what is too long for its column is cut.
    private let isCut: Bool

    private static let gap = "  "

    /// A text that is cut before others keeps so many characters of it.
    private static let shortestCut = 8

    /// - Parameters:
    ///   - soft: the titles of columns that are cut before any other.
    ///   - sample: the first rows, each with a cell for each title.
    ///   - width: how many characters a line may have; nil for any number.
    init(_ titles: [String], soft: Set<String>, sample: [[Cell]], width: Int? = Terminal.width, style: Style = .output)
    {
        self.titles = titles.map { Cell($0, .bold) }
        self.style = style
        isCut = width != nil
        var widths = titles.map(\.terminalWidth)
        for row in sample {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.text.terminalWidth) }
        }
        if let width {
            let room = width - Self.gap.count * (titles.count - 1)
            Self.shrink(&widths, to: room, titles.indices.filter { soft.contains(titles[$0]) }, Self.shortestCut)
            Self.shrink(&widths, to: room, Array(titles.indices), 1)
        }
        self.widths = widths
    }

    /// Takes from the widest of some columns what is too much, but for the first characters.
    private static func shrink(_ widths: inout [Int], to room: Int, _ columns: [Int], _ shortest: Int) {
        while widths.reduce(0, +) > room, let widest = columns.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > shortest
        {
            widths[widest] -= 1
        }
    }

    var header: String { line(titles) }

    func line(_ cells: [Cell]) -> String {
        var line = ""
        // Spaces that are yet to come, unless nothing follows them.
        var spaces = ""
        for (cell, width) in zip(cells, widths) {
            let text = isCut ? cell.text.cut(to: width) : cell.text
            if !text.isEmpty {
                line += spaces + style.paint(text, cell.colour)
                spaces = ""
            }
            spaces += String(repeating: " ", count: max(0, width - text.terminalWidth)) + Self.gap
        }
        return line
    }
}

extension String {
    /// How many places the text takes on a terminal: two for each wide character of East Asia, and none for accents
    /// that stand over another.
    var terminalWidth: Int { unicodeScalars.reduce(0) { $0 + $1.terminalWidth } }

    /// The text, or as much of it as fits with `…` behind it.
    func cut(to width: Int) -> String {
        guard terminalWidth > width else { return self }
        var text = ""
        var left = width - 1
        for character in self {
            left -= String(character).terminalWidth
            if left < 0 { break }
            text.append(character)
        }
        return width > 0 ? text + "…" : ""
    }
}

extension Unicode.Scalar {
    fileprivate var terminalWidth: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }

    /// Where Unicode's EastAsianWidth has wide and full-width characters, as blocks (UAX #11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
