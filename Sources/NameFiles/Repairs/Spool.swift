import Glibc

/// Rows that wait for their repair, in a temporary file. Repairs can be chosen only after all rows have been read.
final class Spool {
    /// A row of the report, without the repair.
    struct Entry {
        /// Without the repair and the row end, which ``ReportStyle`` adds.
        let text: [UInt8]
        /// The name to repair; nil for a row that needs no repair or can't have one.
        let wanted: [UInt8]?
    }

    /// Maximum bytes of a name from which a repair is made.
    static let longestName = 250
    private static let noName: UInt8 = 255
    private static let blockSize = 4096

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
        var entries: [Entry] = []
        while let entry = try next() {
            entries.append(entry)
            if entries.count < Self.blockSize { continue }
            try await body(entries)
            entries.removeAll(keepingCapacity: true)
        }
        try await body(entries)
    }

    private func next() throws(BatchError) -> Entry? {
        let head = try read(5)
        guard head.count == 5 else { return nil }
        let size = head[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        let text = try read(size)
        return Entry(text: text, wanted: head[4] == Self.noName ? nil : try read(Int(head[4])))
    }

    private func read(_ count: Int) throws(BatchError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = fread(&bytes, 1, count, file)
        guard ferror(file) == 0 else {
            throw BatchError(.cannotWrite, "can't read a temporary file: \(String(cString: strerror(errno)))")
        }
        return read == count ? bytes : []
    }

    private static var full: BatchError {
        BatchError(.cannotWrite, "can't write a temporary file: \(String(cString: strerror(errno))); set TMPDIR")
    }
}
