/// Scans one field after the other, and removes quotes in place: the field without them is never longer.
///
/// Where RFC 4180 is silent it follows Python's `csv`: a quote inside a plain field is text; text after a closing quote
/// belongs to the field and is plain; LF, CRLF and a lone CR end a record. Blanks before a quote are skipped.
struct FieldScanner {
    private let base: UnsafeMutablePointer<UInt8>
    private let bytes: ByteSearch
    private let end: Int
    private let separator: UInt8
    private let separators: UInt64
    /// The start of the next field.
    private(set) var position = 0
    /// The end of the last field: a separator, a line end or the end of the input.
    private(set) var stop = 0
    /// The number of line ends in quotes so far.
    private(set) var breaks = 0
    /// Whether the input ended before the closing quote.
    private(set) var isUnclosed = false

    init(_ base: UnsafeMutablePointer<UInt8>, _ end: Int, _ separator: UInt8) {
        self.base = base
        self.end = end
        self.separator = separator
        bytes = ByteSearch(base)
        separators = ByteSearch.pattern(separator)
    }

    /// Skips a line end, if there is one here.
    @inline(__always)
    mutating func skipLineEnd() -> Bool {
        let byte = bytes[position]
        guard byte == ByteSearch.lineFeed || byte == ByteSearch.carriageReturn else { return false }
        stop = position
        passLineEnd()
        return true
    }

    /// Scans the next field.
    /// - Parameter more: set to whether another field of the same record follows.
    @inline(__always)
    mutating func next(_ more: inout Bool) -> Records.Cell {
        let cell: Records.Cell
        if isQuoted {
            cell = unquote()
        } else {
            stop = plainEnd(from: position)
            cell = Records.Cell(start: position, count: stop - position)
        }
        more = stop < end && bytes[stop] == separator
        if more { position = stop + 1 } else { passLineEnd() }
        return cell
    }

    /// Whether the field begins with a quote. Blanks before it are skipped.
    @inline(__always)
    private var isQuoted: Bool {
        mutating get {
            if bytes[position] == UInt8(ascii: " "), separator != UInt8(ascii: " ") { skipBlanksBeforeQuote() }
            return bytes[position] == ByteSearch.quote && position < end
        }
    }

    private mutating func skipBlanksBeforeQuote() {
        var start = position
        while start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
        if start < end, bytes[start] == ByteSearch.quote { position = start }
    }

    @inline(__always)
    private mutating func passLineEnd() {
        let isPair = bytes[stop] == ByteSearch.carriageReturn && bytes[stop + 1] == ByteSearch.lineFeed
        position = min(stop + (isPair ? 2 : 1), end)
    }

    /// The end of the plain text that begins at `start`.
    @inline(__always)
    private func plainEnd(from start: Int) -> Int {
        let lineFeeds = ByteSearch.pattern(ByteSearch.lineFeed)
        let carriageReturns = ByteSearch.pattern(ByteSearch.carriageReturn)
        return bytes.first(from: start, to: end) { word in
            ByteSearch.firstEqual(word, separators) | ByteSearch.firstEqual(word, lineFeeds)
                | ByteSearch.firstEqual(word, carriageReturns)
        }
    }

    /// Scans a field that begins with a quote.
    private mutating func unquote() -> Records.Cell {
        let start = position + 1
        var unread = start
        var written = start
        while true {
            let quote = bytes.first(ByteSearch.quote, from: unread, to: end)
            breaks += bytes.lineEnds(from: unread, to: quote, returns: true)
            move(unread..<quote, to: &written)
            guard quote < end else {
                isUnclosed = true
                stop = end
                break
            }
            unread = quote + 1
            if unread < end, bytes[unread] == ByteSearch.quote {
                base[written] = ByteSearch.quote
                written += 1
                unread += 1
            } else {
                stop = plainEnd(from: unread)
                move(unread..<stop, to: &written)
                break
            }
        }
        return Records.Cell(start: start, count: written - start)
    }

    @inline(__always)
    private func move(_ source: Range<Int>, to written: inout Int) {
        if written != source.lowerBound { (base + written).update(from: base + source.lowerBound, count: source.count) }
        written += source.count
    }
}
