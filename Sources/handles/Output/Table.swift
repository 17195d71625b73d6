/// Rows in columns that fit the width of the terminal. If the output is not a terminal, nothing is cut.
///
/// The first rows set the widths of the columns, so that later rows can be written as they are read.
struct Table {
    /// A text with control characters as escapes.
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
    /// Whether text that is too long for its column is cut.
    private let isCut: Bool

    private static let gap = "  "

    /// Minimum width of soft columns while other columns are still uncut.
    private static let shortestCut = 8

    /// - Parameters:
    ///   - soft: titles of the columns that are cut first.
    ///   - sample: the first rows, with a cell for each title.
    ///   - width: maximum characters in a line; nil for no limit.
    init(
        _ titles: [String], soft: Set<String> = [], sample: [[Cell]], width: Int? = Terminal.width(),
        style: Style = .output
    ) {
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

    /// Narrows the widest of `columns` until all fit into `room`, but no column below `shortest`.
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
        // Written only when another cell follows, so that lines have no trailing spaces.
        var spaces = ""
        for (index, cell) in cells.enumerated() {
            let text = isCut ? cell.text.cut(to: widths[index]) : cell.text
            let padding = String(repeating: " ", count: max(0, widths[index] - text.terminalWidth))
            if !text.isEmpty {
                line += spaces + style.paint(text, cell.colour)
                spaces = ""
            }
            spaces += padding + Self.gap
        }
        return line
    }
}

extension String {
    /// Columns that the text takes on a terminal: two for each wide East Asian character, none for combining marks.
    var terminalWidth: Int { unicodeScalars.reduce(0) { $0 + $1.terminalWidth } }

    /// The text, or its beginning with `…` if it is too long.
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

    /// Blocks of wide and full-width characters in Unicode's EastAsianWidth (UAX #11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
