/// What comes out of a source, and how it ended.
struct Input {
    let source: ByteSource
    private(set) var hasEnded = false
    /// Why the input ended before its end.
    private(set) var failure: RecordsError?
    /// The last byte so far.
    private(set) var lastByte: UInt8?

    init(_ source: ByteSource) {
        self.source = source
    }

    /// Reads into `bytes` from the place `start` on, until there are `limit` of them or the input has ended.
    ///
    /// When the input fails, what came before is given first: it ends, and ``failure`` says why.
    /// - Returns: how many bytes there are now.
    /// - Throws: `CancellationError`.
    mutating func fill(_ bytes: inout [UInt8], from start: Int, to limit: Int) throws -> Int {
        var filled = start
        while filled < limit, !hasEnded {
            do {
                let count = try bytes.withUnsafeMutableBytes {
                    try source.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled..<limit]))
                }
                filled += count
                hasEnded = count == 0
            } catch let error as RecordsError {
                failure = error
                hasEnded = true
            }
        }
        if filled > start { lastByte = bytes[filled - 1] }
        return filled
    }
}
