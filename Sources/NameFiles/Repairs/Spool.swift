import Glibc

/// Rows that wait for their repair, in a temporary file. Repairs can be chosen only after all rows have been read.
final class Spool {
    /// A row of the report, without the repair.
    struct Entry {
        /// Without the repair and the row end, which ``ReportStyle`` adds.
        let text: ArraySlice<UInt8>
        /// The name to repair; nil for a row that needs no repair or can't have one.
        let wanted: ArraySlice<UInt8>?
    }

    /// Maximum bytes of a name from which a repair is made.
    static let longestName = 250
    private static let noName: UInt8 = 255
    private static let headSize = 5
    private static let readSize = 1 << 20

    private let file: UnsafeMutablePointer<FILE>

    /// - Throws: ``BatchError`` when no temporary file can be made.
    init() throws(BatchError) {
        guard let descriptor = TemporaryFile.open(), let file = fdopen(descriptor, "w+") else {
            throw BatchError(
                .cannotWrite, "can't make a temporary file: \(String(cString: strerror(errno))); set TMPDIR")
        }
        self.file = file
    }

    deinit { fclose(file) }

    /// Appends a row to `bytes` in the format of the spool.
    static func append(_ text: [UInt8], wanted: ArraySlice<UInt8>?, to bytes: inout [UInt8]) {
        let size = UInt32(text.count)
        for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
        let name = wanted?.prefix(longestName)
        bytes.append(name.map { UInt8($0.count) } ?? noName)
        bytes += text
        if let name { bytes += name }
    }

    func write(_ bytes: [UInt8]) throws(BatchError) {
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Self.full }
    }

    /// Calls `body` with all rows in order, in blocks of some thousands.
    func forEachBlock(_ body: ([Entry]) async throws -> Void) async throws {
        guard fflush(file) == 0 else { throw Self.full }
        rewind(file)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.readSize)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 {
                guard ferror(file) == 0 else {
                    throw BatchError(.cannotWrite, "can't read a temporary file: \(String(cString: strerror(errno)))")
                }
                break
            }
            bytes += chunk[..<count]
            var entries: [Entry] = []
            var start = 0
            while let entry = Self.entry(bytes[start...]) {
                entries.append(entry.entry)
                start += entry.size
            }
            try await body(entries)
            bytes.removeFirst(start)
        }
    }

    /// The entry at the beginning of `bytes`; nil if it is incomplete.
    private static func entry(_ bytes: ArraySlice<UInt8>) -> (entry: Entry, size: Int)? {
        guard bytes.count >= headSize else { return nil }
        let start = bytes.startIndex
        let size = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
        let name = bytes[start + 4] == noName ? nil : Int(bytes[start + 4])
        let total = headSize + size + (name ?? 0)
        guard bytes.count >= total else { return nil }
        let text = bytes[start + headSize..<start + headSize + size]
        return (Entry(text: text, wanted: name.map { bytes[text.endIndex..<text.endIndex + $0] }), total)
    }

    private static var full: BatchError {
        BatchError(.cannotWrite, "can't write a temporary file: \(String(cString: strerror(errno))); set TMPDIR")
    }
}
