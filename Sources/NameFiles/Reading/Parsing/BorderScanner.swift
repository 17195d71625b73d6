/// Finds the ends of records in bytes that start with a record and arrive in pieces.
///
/// In CSV a quote opens a field only at the start of the field. A quote that is not doubled closes it, and the rest is
/// plain text again. So only quotes, and the byte before each, need to be examined.
struct BorderScanner {
    enum Wanted { case first, last }

    private let separator: UInt8?
    /// Bytes before this position need not be examined again.
    private(set) var position = 0
    private var isQuoted = false
    /// Whether a field begins at `position`.
    private var isFieldStart = true

    init(_ format: Format) {
        separator = format.separator
    }

    /// The caller has removed the bytes before `position`.
    mutating func forget() { position = 0 }

    /// Scans the bytes from `position` to `filled`.
    /// - Parameter isWhole: whether the input ends there.
    /// - Returns: the position after the line end of the first or last record that ends there; nil when none does.
    mutating func scan(_ bytes: ByteSearch, to filled: Int, for wanted: Wanted, isWhole: Bool = false) -> Int? {
        // A CR may be half of a CRLF; the next byte decides.
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
                // Doubled or closing: the next byte decides, and may not have been read yet.
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
    /// The position after the first or last line end in `start..<end`; a CRLF is never split.
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
