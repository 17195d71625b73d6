import HandleRules
import HandleWords
import Testing

@testable import NameFiles

/// Computes the expected duplicates with dictionaries that keep all names.
struct DuplicateOracle {
    private var firstByHandle: [PackedASCII: (line: Int, letters: PackedASCII)] = [:]
    private var firstByKey: [PackedASCII: Int] = [:]
    private(set) var rowsByKey: [PackedASCII: Int] = [:]

    mutating func take(_ name: FingerprintedName, line: Int) -> FoundDuplicate {
        rowsByKey[name.key, default: 0] += 1
        if let first = firstByHandle[name.handle] {
            return FoundDuplicate(kind: first.letters == name.letters ? .exact : .capitals, firstLine: first.line)
        }
        firstByHandle[name.handle] = (line, name.letters)
        guard let first = firstByKey[name.key] else {
            firstByKey[name.key] = line
            return FoundDuplicate(kind: .none, firstLine: 0)
        }
        return FoundDuplicate(kind: .lookalike, firstLine: first)
    }

    /// The first line that has a name with this look-alike key.
    func line(ofKey key: PackedASCII) -> Int? { firstByKey[key] }
}

/// The entry of a row about an earlier row.
struct FoundDuplicate: Equatable {
    var kind: Duplicate
    var firstLine: Int

    init(kind: Duplicate, firstLine: Int) { (self.kind, self.firstLine) = (kind, firstLine) }
    init(_ row: Row) { (kind, firstLine) = (row.duplicate, row.firstLine) }
}

/// A name with its handle, its look-alike key and its fingerprint.
struct FingerprintedName {
    let letters: PackedASCII
    let handle: PackedASCII
    let key: PackedASCII
    let fingerprint: Fingerprint

    init(_ letters: PackedASCII, _ fingerprinter: Fingerprinter) {
        self.letters = letters
        handle = letters.lowercased
        let key = LookalikeKey(handle)
        self.key = key.letters
        fingerprint = fingerprinter.fingerprint(letters, handle: handle, key: key)
    }
}

func fingerprinted(_ letters: some Sequence<PackedASCII>, seed: UInt64 = 5) -> [FingerprintedName] {
    var random = SeededGenerator(seed: seed)
    let fingerprinter = Fingerprinter(using: &random)
    return letters.map { FingerprintedName($0, fingerprinter) }
}

/// Names from a small alphabet, so that most repeat an earlier one: exactly, in other capitals, or as a look-alike.
func crowdedNames(count: Int, seed: UInt64) -> [FingerprintedName] {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("aA4lLiI1oO0_bn".utf8)
    return fingerprinted(
        (0..<count).compactMap { _ in
            PackedASCII(
                (0..<Int.random(in: 3...6, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 })
        })
}

/// The line number of a row, as if every row had three lines.
func lineNumber(_ row: Int) -> Int { 3 * row + 2 }

extension DuplicateTable {
    /// Inserts the names in batches of `size`.
    mutating func insert(_ names: [FingerprintedName], inBatchesOf size: Int) throws -> [FoundDuplicate] {
        var found: [FoundDuplicate] = []
        for start in stride(from: 0, to: names.count, by: size) {
            let batch = names[start..<min(start + size, names.count)]
            // Every second row has a name; the rows between stand for malformed ones.
            var rows = [Row](repeating: Row(), count: 2 * batch.count)
            for (index, name) in batch.enumerated() { rows[2 * index + 1].letters = name.letters }
            try insert(
                batch.enumerated().map { IndexedName(row: Int32(2 * $0 + 1), fingerprint: $1.fingerprint) }, in: &rows
            ) { lineNumber(start + $0 / 2) }
            found += stride(from: 1, to: rows.count, by: 2).map { FoundDuplicate(rows[$0]) }
            let untouched = stride(from: 0, to: rows.count, by: 2).allSatisfy { rows[$0].duplicate == .none }
            #expect(untouched)
        }
        return found
    }
}

/// The duplicates among names, by the oracle.
func expectedDuplicates(_ names: [FingerprintedName]) -> (found: [FoundDuplicate], oracle: DuplicateOracle) {
    var oracle = DuplicateOracle()
    return (names.enumerated().map { oracle.take($1, line: lineNumber($0)) }, oracle)
}
