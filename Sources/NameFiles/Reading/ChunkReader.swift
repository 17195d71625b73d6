/// Reads a file as a sequence of chunks of whole records. Memory does not grow with the file.
///
/// Used by one caller at a time, and not after an error. The chunks may be parsed anywhere and in any order.
package final class ChunkReader {
    package let layout: Layout
    /// The physical lines before the first record of the first chunk: the header and the blank lines before it.
    package let linesBefore: Int

    private let chunkSize: Int
    private let input: ByteSource
    /// Bytes that were read but not returned yet: the start of the next chunk.
    private var rest: [UInt8]
    /// Whether the array has been read to its end.
    private var hasEnded = false

    /// Positions in a chunk are 32-bit numbers.
    private static let mostBytes = 1 << 29

    /// Opens the file and detects its layout.
    /// - Parameters:
    ///   - path: of the file; `-` is standard input.
    ///   - chunkSize: the bytes of a chunk, unless a record is longer. It does not affect the records.
    ///   - longestRecord: the maximum bytes of a record, without its line end.
    /// - Throws: ``RecordsError``; `CancellationError`.
    package convenience init(
        path: String, selection: Selection = Selection(), chunkSize: Int = 256 * 1024, longestRecord: Int = 1024 * 1024
    ) throws {
        try self.init(ByteSource(path: path), path: path, selection, chunkSize: chunkSize, longestRecord: longestRecord)
    }

    /// Opens an input that is read more than once.
    package convenience init(_ kept: KeptInput, selection: Selection, chunkSize: Int = 256 * 1024) throws {
        try self.init(kept.open(), path: kept.path, selection, chunkSize: chunkSize)
    }

    private convenience init(
        _ source: ByteSource, path: String, _ selection: Selection, chunkSize: Int, longestRecord: Int = 1024 * 1024
    ) throws {
        let finder = LayoutFinder(
            path: path, name: source.name, selection: selection,
            longestRecord: min(max(longestRecord, 1), Self.mostBytes))
        try self.init(source, chunkSize: chunkSize, finder.find)
    }

    /// Reads lines from memory.
    /// - Parameters:
    ///   - lines: without line ends.
    ///   - columns: each required column is the whole line.
    package convenience init(lines: [String], columns: [Selection.Column], name: String) throws {
        let finder = LayoutFinder(
            path: "", name: name, selection: Selection(format: .lines, columns: columns), longestRecord: Self.mostBytes)
        let text = lines.map { $0 + "\n" }.joined()
        try self.init(ByteSource(Array(text.utf8), name: name), chunkSize: 64 * 1024, finder.find)
    }

    /// - Parameter find: detects the layout from the first bytes and whether they are all; returns nil when it needs
    ///   more.
    init(
        _ source: ByteSource, chunkSize: Int, _ find: (ArraySlice<UInt8>, Bool) throws -> LayoutFinder.Finding?
    ) throws {
        input = source
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
                // If the header is incomplete because the input failed, that failure is the better error.
                throw input.failure ?? error
            }
            size *= 2
        }
        guard let finding else { preconditionFailure("the loop ends with one") }
        layout = finding.layout
        linesBefore = finding.lines
        rest = Array(bytes[finding.bytes..<filled])
    }

    /// The progress of reading: the bytes of the file that were read, and its size unless it is a pipe.
    package var progress: (position: Int, size: Int?) { (input.position, input.size) }

    /// Whether the last line has a line end, as in every file that was not cut off; known at the end.
    package var endsWithLineEnd: Bool {
        guard let last = input.lastByte, layout.format != .array else { return true }
        return last == ByteSearch.lineFeed || layout.format.separator != nil && last == ByteSearch.carriageReturn
    }

    /// Reads the next chunk.
    /// - Returns: nil at the end.
    /// - Throws: ``RecordsError`` when the input fails or is damaged, after all records before that were returned;
    ///   `CancellationError`.
    package func next() throws -> Chunk? {
        if hasEnded {
            try refuseRest()
            return nil
        }
        let isArray = layout.format == .array
        var chunk = Chunk()
        var capacity = max(chunkSize, rest.count)
        chunk.reserve(capacity)
        chunk.bytes.replaceSubrange(..<rest.count, with: rest)
        var filled = rest.count
        rest.removeAll(keepingCapacity: true)
        var scanner = BorderScanner(layout.format)
        while true {
            filled = try input.fill(&chunk.bytes, from: filled, to: capacity)
            // Only the last record of an array has another end than those before.
            if !input.hasEnded || isArray, let border = chunk.search({ scanner.scan($0, to: filled, for: .last) }) {
                give(&chunk, upTo: border, of: filled)
                hasEnded = scanner.hasEnded
                return isArray && !chunk.hasElement ? try next() : chunk
            }
            if input.hasEnded {
                chunk.end(at: filled)
                chunk.isCut = input.failure != nil
                if filled > 0, !isArray || chunk.hasElement { return chunk }
                if let failure = input.failure { throw failure }
                guard isArray else { return nil }
                throw RecordsError(
                    .unreadable, "\(input.name) is cut: its JSON array is not closed; get the whole file again")
            }
            guard capacity < longestKept else {
                try skip(&chunk, filled, &scanner)
                return chunk
            }
            capacity = min(2 * capacity, longestKept)
            chunk.reserve(capacity)
        }
    }

    /// After an array that is not in an object, nothing may follow, such as a second array.
    private func refuseRest() throws {
        guard layout.member == nil else { return }
        var bytes = rest
        rest = []
        repeat {
            guard bytes.allSatisfy(\.isBlank) else {
                throw RecordsError(
                    .unreadable, "\(input.name) goes on after its JSON array: give each array in a file of its own")
            }
            bytes = [UInt8](repeating: 0, count: chunkSize)
            bytes.removeLast(chunkSize - (try input.fill(&bytes, from: 0, to: chunkSize)))
        } while !bytes.isEmpty
        if let failure = input.failure { throw failure }
    }

    /// If there is no line end in this many bytes, the record exceeds the limit.
    private var longestKept: Int { max(chunkSize, layout.longestRecord + 2) }

    /// Ends the chunk at a border, and keeps the bytes after it for the next chunk.
    private func give(_ chunk: inout Chunk, upTo border: Int, of filled: Int) {
        rest.append(contentsOf: chunk.bytes[border..<filled])
        chunk.end(at: border)
    }

    /// Skips a record that is too long, and keeps only its length.
    private func skip(_ chunk: inout Chunk, _ filled: Int, _ scanner: inout BorderScanner) throws {
        var filled = filled
        var skipped = Chunk.Oversize(bytes: 0, lines: 0)
        if layout.format == .array {
            skipped.linesBefore = chunk.bytes.prefix(while: \.isBlank).count { $0 == ByteSearch.lineFeed }
        }
        var border: Int?
        while border == nil, !input.hasEnded {
            // At most one byte stays: a CR or a quote, which the next byte explains.
            let seen = scanner.position
            count(chunk, upTo: seen, in: &skipped)
            chunk.bytes.replaceSubrange(..<(filled - seen), with: Array(chunk.bytes[seen..<filled]))
            scanner.forget()
            filled = try input.fill(&chunk.bytes, from: filled - seen, to: longestKept)
            border = chunk.search { scanner.scan($0, to: filled, for: .first, isWhole: input.hasEnded) }
        }
        let end = border ?? filled
        give(&chunk, upTo: end, of: filled)
        hasEnded = scanner.hasEnded
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
        skipped.lines += chunk.search { $0.lineEnds(from: 0, to: end, returns: layout.format.separator != nil) }
    }
}
