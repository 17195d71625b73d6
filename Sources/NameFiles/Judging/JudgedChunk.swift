import HandleRegistry
import HandleRules
import HandleWords

/// The rows of a chunk, with the data that they refer to.
struct JudgedChunk: Sendable {
    let records: Records
    /// The reserved words by which the rows were judged.
    let words: ReservedWords
    var rows: [Row]
    /// The well-formed names, in the order of the file.
    var names: [IndexedName] = []
    /// The readings of rows that are ``Row/Kind/unusual``.
    var readings: [Reading] = []
    /// Names that the registry knows; see ``Row/known``.
    private var known: [KnownName] = []
    /// Records and lines of the input before this chunk; set by ``DuplicateFinder``.
    var before = (records: 0, lines: 0)
    /// Estimate of the number of names in the whole file.
    var expectedNames = 0

    init(_ records: Records, _ words: ReservedWords) {
        (self.records, self.words) = (records, words)
        rows = [Row](repeating: Row(), count: records.count)
        names.reserveCapacity(records.count)
    }

    /// The line of a row in the input, from 1.
    func line(_ row: Int) -> Int { before.lines + records.line(row) + 1 }

    /// The number of a row among the records, from 1, not counting a header.
    func record(_ row: Int) -> Int { before.records + row + 1 }

    /// The bytes of the name, as in the input.
    func input(_ row: Int, column: Int = 0) -> ArraySlice<UInt8> {
        records.bytes(of: row, column: column) ?? []
    }

    /// The bytes of another column, without white space and invisible characters around them, as names are read.
    func field(_ row: Int, column: Int) -> ArraySlice<UInt8> {
        let bytes = input(row, column: column)
        func isSeen(_ byte: UInt8?) -> Bool { byte.map { 0x21...0x7E ~= $0 } ?? true }
        guard !isSeen(bytes.first) || !isSeen(bytes.last), let text = String(validating: bytes, as: UTF8.self) else {
            return bytes
        }
        return Array(text.trimmingUnseen.utf8)[...]
    }

    /// The decision about a row for a new owner; nil for an unreadable row.
    func decision(_ row: Int, _ policy: Policy) -> Decision? {
        guard let reading = reading(row) else { return nil }
        let place = Int(rows[row].known)
        return .decide(
            reading, word: word(row), place < 0 ? KnownName() : known[place], policy)
    }

    /// The reading of a row's name; nil for an unreadable row.
    func reading(_ index: Int) -> Reading? {
        let row = rows[index]
        switch row.kind {
        case .unreadable, .blank: return nil
        case .unusual: return readings[Int(row.place)]
        case .plain:
            return row.letters.isEmpty
                ? input(index).withUnsafeBufferPointer { Reading(ascii: $0) } : Reading(row.letters)
        }
    }

    /// Stores what the registry knows about the well-formed names.
    /// - Throws: `PostgresError`
    mutating func lookUp(in lookup: BulkLookup) async throws {
        for start in stride(from: 0, to: names.count, by: BulkLookup.longest) {
            let part = names[start..<min(start + BulkLookup.longest, names.count)]
            let found = try await lookup.known(about: handles(of: part))
            for (name, found) in zip(part, found) {
                guard let found else { continue }
                rows[Int(name.row)].known = Int32(truncatingIfNeeded: known.count)
                known.append(found)
            }
        }
    }

    /// The handles of some of `names`.
    func handles(of names: ArraySlice<IndexedName>) -> [Handle] {
        names.compactMap { Handle(rows[Int($0.row)].letters.lowercased) }
    }

    /// The reserved word that matches the name of a row.
    func word(_ row: Int) -> ReservedWord? { rows[row].word.map { words[$0] } }

    /// The reason why a row is unreadable.
    func fault(_ row: Int) -> RecordFault { records.fault(row) ?? .notUTF8 }
}
