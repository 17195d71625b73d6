/// Reads a file as chunks of whole records, one after the other. Memory does not grow with the file.
///
/// Used by one caller at a time, and not after an error; the chunks may be parsed anywhere and in any order.
package final class ChunkReader {
    package let layout: Layout
    /// The physical lines before the first record of the first chunk: those of the header.
    package let linesBefore: Int

    private let chunkSize: Int
    private var input: Input
    /// What was read and not given yet: the beginning of the next chunk.
    private var rest: [UInt8]

    /// The places in a chunk are 32-bit numbers.
    private static let mostBytes = 1 << 29

    /// Opens the file and finds out its layout.
    /// - Parameters:
    ///   - path: of the file; `-` is the standard input.
    ///   - chunkSize: the bytes of a chunk, unless a record is longer. It has no influence on the records.
    ///   - longestRecord: the most bytes of a record, without its line end.
    /// - Throws: ``RecordsError``; `CancellationError`.
    package convenience init(
        path: String, selection: Selection = Selection(), chunkSize: Int = 256 * 1024, longestRecord: Int = 1024 * 1024
    ) throws {
        let source = try ByteSource(path: path)
        let finder = LayoutFinder(
            path: path, name: source.name, selection: selection,
            longestRecord: min(max(longestRecord, 1), Self.mostBytes))
        try self.init(source, chunkSize: chunkSize, finder.find)
    }

    /// Reads lines that are there already.
    /// - Parameters:
    ///   - lines: none has a line end in it.
    ///   - columns: of which those that must be there are the whole line.
    package convenience init(lines: [String], columns: [Selection.Column], name: String) throws {
        let finder = LayoutFinder(
            path: "", name: name, selection: Selection(format: .lines, columns: columns), longestRecord: Self.mostBytes)
        let text = lines.map { $0 + "\n" }.joined()
        try self.init(ByteSource(Array(text.utf8), name: name), chunkSize: 64 * 1024, finder.find)
    }

    /// - Parameter find: says what the bytes at the beginning tell, and whether they are all; nil when it wants more.
    init(
        _ source: ByteSource, chunkSize: Int, _ find: (ArraySlice<UInt8>, Bool) throws -> LayoutFinder.Finding?
    ) throws {
        var input = Input(source)
        var bytes: [UInt8] = []
        var filled = 0
        var finding: LayoutFinder.Finding?
        var size = min(max(chunkSize, 1), Self.mostBytes)
        self.chunkSize = size
        while finding == nil {
            bytes += [UInt8](repeating: 0, count: size - bytes.count)
            filled = try input.fill(&bytes, from: filled, to: size)
            do {
                finding = try find(bytes[..<filled], input.hasEnded)
            } catch {
                // Of a cut header it matters more that it is cut.
                throw input.failure ?? error
            }
            size *= 2
        }
        guard let finding else { preconditionFailure("the loop ends with one") }
        layout = finding.layout
        linesBefore = finding.lines
        rest = Array(bytes[finding.bytes..<filled])
        self.input = input
    }

    /// What messages call the file.
    package var name: String { input.source.name }

    /// How far the reading is: the bytes of the file that were read, and its size unless it is a pipe.
    package var progress: (position: Int, size: Int?) { (input.source.position, input.source.size) }

    /// Whether the last line has an end, as all do in a file that was not cut; known at the end.
    package var endsWithLineEnd: Bool {
        guard let last = input.lastByte else { return true }
        return last == ByteSearch.lineFeed || layout.format.separator != nil && last == ByteSearch.carriageReturn
    }

    /// The next chunk; nil at the end.
    package func next() throws -> Chunk? {
        var chunk = Chunk()
        return try next(into: &chunk) ? chunk : nil
    }

    /// Reads the next chunk in the place of one that is not needed any more, which saves the memory of a new one.
    /// - Returns: whether there was one.
    /// - Throws: ``RecordsError`` when the input fails or is damaged, once all records before that were given;
    ///   `CancellationError`.
    package func next(into chunk: inout Chunk) throws -> Bool {
        chunk.oversize = nil
        chunk.isCut = false
        var capacity = max(chunkSize, rest.count)
        chunk.reserve(capacity)
        chunk.bytes.replaceSubrange(..<rest.count, with: rest)
        var filled = rest.count
        rest.removeAll(keepingCapacity: true)
        var scanner = BorderScanner(layout.format)
        while true {
            filled = try input.fill(&chunk.bytes, from: filled, to: capacity)
            if input.hasEnded { return try end(&chunk, at: filled) }
            if let border = chunk.scan(&scanner, to: filled, for: .last) {
                give(&chunk, upTo: border, of: filled)
                return true
            }
            guard capacity < longestKept else {
                try skip(&chunk, filled, &scanner)
                return true
            }
            capacity = min(2 * capacity, longestKept)
            chunk.reserve(capacity)
        }
    }

    /// With so many bytes and no line end among them, a record is longer than it may be.
    private var longestKept: Int { max(chunkSize, layout.longestRecord + 2) }

    private func end(_ chunk: inout Chunk, at filled: Int) throws -> Bool {
        chunk.end(at: filled)
        chunk.isCut = input.failure != nil
        if filled == 0, let failure = input.failure { throw failure }
        return filled > 0
    }

    /// Ends the chunk at a border, and keeps what is behind it for the next.
    private func give(_ chunk: inout Chunk, upTo border: Int, of filled: Int) {
        rest.append(contentsOf: chunk.bytes[border..<filled])
        chunk.end(at: border)
    }

    /// Reads to the end of a record that is too long, and keeps of it only how long it is.
    private func skip(_ chunk: inout Chunk, _ filled: Int, _ scanner: inout BorderScanner) throws {
        var filled = filled
        var skipped = Chunk.Oversize(bytes: 0, lines: 0)
        var border: Int?
        while border == nil, !input.hasEnded {
            // One byte at most stays: a CR or a quote, whose meaning the next byte tells.
            let seen = scanner.position
            count(chunk, upTo: seen, in: &skipped)
            chunk.bytes.replaceSubrange(..<(filled - seen), with: Array(chunk.bytes[seen..<filled]))
            scanner.forget()
            filled = try input.fill(&chunk.bytes, from: filled - seen, to: longestKept)
            border = chunk.scan(&scanner, to: filled, for: .first, isWhole: input.hasEnded)
        }
        let end = border ?? filled
        give(&chunk, upTo: end, of: filled)
        count(chunk, upTo: end, in: &skipped)
        if border == nil {
            let last = input.lastByte
            let endsLine = last == ByteSearch.lineFeed || last == ByteSearch.carriageReturn
            if layout.format.separator == nil || !endsLine { skipped.lines += 1 }
        } else {
            skipped.bytes -= chunk.bytes[..<end].lineEndCount
        }
        chunk.end(at: 0)
        chunk.oversize = skipped
    }

    private func count(_ chunk: Chunk, upTo end: Int, in skipped: inout Chunk.Oversize) {
        skipped.bytes += end
        skipped.lines += chunk.lineEnds(to: end, returns: layout.format.separator != nil)
    }
}

extension Chunk {
    fileprivate func scan(
        _ scanner: inout BorderScanner, to end: Int, for wanted: BorderScanner.Wanted, isWhole: Bool = false
    ) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.flatMap { scanner.scan(ByteSearch($0), to: end, for: wanted, isWhole: isWhole) }
        }
    }

    fileprivate func lineEnds(to end: Int, returns: Bool) -> Int {
        bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { ByteSearch($0).lineEnds(from: 0, to: end, returns: returns) } ?? 0
        }
    }
}
