/// Finds the ends of records in bytes that start with a record and arrive in pieces.
///
/// In CSV a quote opens a field only at the start of the field. A quote that is not doubled closes it, and the rest is
/// plain text again. So only quotes, and the byte before each, need to be examined.
struct BorderScanner {
    enum Wanted { case first, last }

    private let format: Format
    private let separator: UInt8?
    /// Bytes before this position need not be examined again.
    private(set) var position = 0
    private var isQuoted = false
    /// Whether a field begins at `position`.
    private var isFieldStart = true
    /// In a JSON array: the depth below it, and whether it is closed.
    private var depth = 0
    private(set) var hasEnded = false

    init(_ format: Format, from position: Int = 0) {
        self.format = format
        self.position = position
        separator = format.separator
    }

    /// The caller has removed the bytes before `position`.
    mutating func forget() { position = 0 }

    /// Scans the bytes from `position` to `filled`.
    /// - Parameter isWhole: whether the input ends there.
    /// - Returns: the position after the line end of the first or last record that ends there; nil when none does.
    mutating func scan(_ bytes: ByteSearch, to filled: Int, for wanted: Wanted, isWhole: Bool = false) -> Int? {
        if format == .array { return scanElements(bytes, to: filled, for: wanted) }
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
                noteFieldStart(bytes, at: quote, separator)
                guard quote < end else { position = end; break }
                isQuoted = isFieldStart
                isFieldStart = false
                position = quote + 1
            }
        }
        return border
    }

    /// Notes whether a field begins at `end`, with blanks before it or without.
    private mutating func noteFieldStart(_ bytes: ByteSearch, at end: Int, _ separator: UInt8) {
        var start = end
        while start > position, bytes[start - 1] == UInt8(ascii: " "), separator != UInt8(ascii: " ") { start -= 1 }
        guard start > position else { return }
        let before = bytes[start - 1]
        isFieldStart = before == separator || before == ByteSearch.lineFeed || before == ByteSearch.carriageReturn
    }

    /// The position after a comma between elements, or after the bracket that closes the array.
    private mutating func scanElements(_ bytes: ByteSearch, to filled: Int, for wanted: Wanted) -> Int? {
        var border: Int?
        while position < filled, !hasEnded {
            if isQuoted {
                position = bytes.first(from: position, to: filled, ByteSearch.firstSpecialInJSON)
                guard position < filled else { break }
                let isEscape = bytes[position] == UInt8(ascii: "\\")
                // The escaped character may not have been read yet.
                guard !isEscape || position + 1 < filled else { break }
                isQuoted = bytes[position] != ByteSearch.quote
                position += isEscape ? 2 : 1
                continue
            }
            position += 1
            switch bytes[position - 1] {
            case ByteSearch.quote: isQuoted = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                hasEnded = depth == 0
                depth -= 1
                if hasEnded { return position }
            case UInt8(ascii: ",") where depth == 0:
                if wanted == .first { return position }
                border = position
            default: break
            }
        }
        return border
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
