/// Finds where records end, in bytes that begin with a record and come piece by piece.
///
/// In CSV a quote opens a field only where the field begins; it is closed by a quote that is not doubled, and what
/// follows then is plain again. So quotes are all that has to be looked at, and the byte before each.
struct BorderScanner {
    enum Wanted { case first, last }

    private let separator: UInt8?
    /// The bytes before this place need not be seen again.
    private(set) var position = 0
    private var isQuoted = false
    /// Whether a field begins at `position`.
    private var isFieldStart = true

    init(_ format: Format) {
        separator = format.separator
    }

    /// The caller has removed the bytes before `position`.
    mutating func forget() { position = 0 }

    /// Looks at the bytes from `position` to `filled`.
    /// - Parameter isWhole: whether the input ends there.
    /// - Returns: the place behind the line end of the first or last record that ends there; nil when none does.
    mutating func scan(_ bytes: ByteSearch, to filled: Int, for wanted: Wanted, isWhole: Bool = false) -> Int? {
        // A CR may be the half of a CRLF, and what comes next tells.
        let isHalf = !isWhole && filled > position && bytes[filled - 1] == ByteSearch.carriageReturn
        let end = isHalf ? filled - 1 : filled
        guard let separator else {
            defer { position = end }
            return bytes.border(wanted, from: position, to: end, returns: false)
        }
        var border: Int?
        while position < end {
            if isQuoted {
                let quote = bytes.first(ByteSearch.quote, from: position, to: end)
                guard quote < end else { position = end; break }
                // Doubled or closing: the byte behind it tells, and may not be there yet.
                let isLast = quote + 1 == end
                guard !isLast || isWhole || end < filled else { position = quote; break }
                isQuoted = !isLast && bytes[quote + 1] == ByteSearch.quote
                isFieldStart = false
                position = quote + (isQuoted ? 2 : 1)
            } else {
                let quote = bytes.first(ByteSearch.quote, from: position, to: end)
                if let found = bytes.border(wanted, from: position, to: quote, returns: true) {
                    if wanted == .first { return found }
                    border = found
                }
                if quote > position { isFieldStart = Self.beginsField(after: bytes[quote - 1], separator) }
                guard quote < end else { position = end; break }
                isQuoted = isFieldStart
                isFieldStart = false
                position = quote + 1
            }
        }
        return border
    }

    private static func beginsField(after byte: UInt8, _ separator: UInt8) -> Bool {
        byte == separator || byte == ByteSearch.lineFeed || byte == ByteSearch.carriageReturn
    }
}

extension ByteSearch {
    /// The place behind the first or last line end in `start..<end`, none of them half of one.
    fileprivate func border(_ wanted: BorderScanner.Wanted, from start: Int, to end: Int, returns: Bool) -> Int? {
        switch wanted {
        case .first:
            let lineFeeds = Self.pattern(Self.lineFeed)
            let others = Self.pattern(returns ? Self.carriageReturn : Self.lineFeed)
            let index = first(from: start, to: end) { Self.firstEqual($0, lineFeeds) | Self.firstEqual($0, others) }
            guard index < end else { return nil }
            let isPair = self[index] == Self.carriageReturn && index + 1 < end && self[index + 1] == Self.lineFeed
            return isPair ? index + 2 : index + 1
        case .last:
            var index = end
            while index > start {
                index -= 1
                if self[index] == Self.lineFeed || returns && self[index] == Self.carriageReturn { return index + 1 }
            }
            return nil
        }
    }
}
