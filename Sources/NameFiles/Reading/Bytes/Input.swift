/// The data of a source, and how they ended.
struct Input {
    let source: ByteSource
    private(set) var hasEnded = false
    /// The reason why the input ended early.
    private(set) var failure: RecordsError?
    /// The last byte so far.
    private(set) var lastByte: UInt8?

    init(_ source: ByteSource) {
        self.source = source
    }

    /// Reads into `bytes` from position `start` on, until they are filled up to `limit` or the input has ended.
    ///
    /// When the input fails, the bytes before the failure are returned first. Then the input ends, and ``failure`` has
    /// the reason.
    /// - Returns: the position after the last byte.
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
