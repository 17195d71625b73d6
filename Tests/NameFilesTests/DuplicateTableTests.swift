import HandleCore
import Testing

@testable import NameFiles

/// Computes the expected duplicates with dictionaries that keep all names.
private struct Oracle {
    private var firstByHandle: [PackedASCII: (line: Int, letters: PackedASCII)] = [:]
    private var firstByKey: [PackedASCII: Int] = [:]
    private(set) var rowsByKey: [PackedASCII: Int] = [:]

    mutating func take(_ name: Named, line: Int) -> Found {
        rowsByKey[name.key, default: 0] += 1
        if let first = firstByHandle[name.handle] {
            return Found(kind: first.letters == name.letters ? .exact : .capitals, firstLine: first.line)
        }
        firstByHandle[name.handle] = (line, name.letters)
        guard let first = firstByKey[name.key] else {
            firstByKey[name.key] = line
            return Found(kind: .none, firstLine: 0)
        }
        return Found(kind: .lookalike, firstLine: first)
    }

    /// The first line that has a name with this look-alike key.
    func line(ofKey key: PackedASCII) -> Int? { firstByKey[key] }
}

private struct Found: Equatable {
    var kind: Duplicate
    var firstLine: Int

    init(kind: Duplicate, firstLine: Int) { (self.kind, self.firstLine) = (kind, firstLine) }
    init(_ row: Row) { (kind, firstLine) = (row.duplicate, row.firstLine) }
}

/// A name with its handle, its look-alike key and its fingerprint.
private struct Named {
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

private func names(_ letters: some Sequence<PackedASCII>, seed: UInt64 = 5) -> [Named] {
    var random = SeededGenerator(seed: seed)
    let fingerprinter = Fingerprinter(using: &random)
    return letters.map { Named($0, fingerprinter) }
}

/// Names from a small alphabet, so that most repeat an earlier one: exactly, in other capitals, or as a look-alike.
private func crowdedNames(count: Int, seed: UInt64) -> [Named] {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("aA4lLiI1oO0_bn".utf8)
    return names(
        (0..<count).compactMap { _ in
            PackedASCII(
                (0..<Int.random(in: 3...6, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 })
        })
}

/// The line number of a row, as if every row had three lines.
private func line(_ row: Int) -> Int { 3 * row + 2 }

extension DuplicateTable {
    /// Inserts the names in batches of `size`.
    fileprivate mutating func insert(_ names: [Named], inBatchesOf size: Int) throws -> [Found] {
        var found: [Found] = []
        for start in stride(from: 0, to: names.count, by: size) {
            let batch = names[start..<min(start + size, names.count)]
            // Every second row has a name; the rows between stand for malformed ones.
            var rows = [Row](repeating: Row(), count: 2 * batch.count)
            for (index, name) in batch.enumerated() { rows[2 * index + 1].letters = name.letters }
            try insert(
                batch.enumerated().map { IndexedName(row: Int32(2 * $0 + 1), fingerprint: $1.fingerprint) }, in: &rows
            ) { line(start + $0 / 2) }
            found += stride(from: 1, to: rows.count, by: 2).map { Found(rows[$0]) }
            let untouched = stride(from: 0, to: rows.count, by: 2).allSatisfy { rows[$0].duplicate == .none }
            #expect(untouched)
        }
        return found
    }
}

private func oracle(_ names: [Named]) -> (found: [Found], oracle: Oracle) {
    var oracle = Oracle()
    return (names.enumerated().map { oracle.take($1, line: line($0)) }, oracle)
}

@Suite struct DuplicateTableTests {
    @Test(arguments: [1, 2, 3]) func tableFindsTheDuplicatesThatADictionaryFinds(_ seed: UInt64) throws {
        let names = crowdedNames(count: 20_000, seed: seed)
        let expected = oracle(names).found
        for kind in Duplicate.allCases { #expect(expected.contains { $0.kind == kind }) }
        var table = try DuplicateTable(expectedNames: names.count, budget: 1 << 30)
        let found = try table.insert(names, inBatchesOf: 1000)
        #expect(found == expected)
    }

    @Test(arguments: [1, 7, 31, 32, 33, 20_000]) func batchSizeDoesNotChangeTheDuplicatesFound(_ size: Int) throws {
        let names = crowdedNames(count: 20_000, seed: 4)
        var table = try DuplicateTable(expectedNames: 0, budget: 1 << 30)
        let found = try table.insert(names, inBatchesOf: size)
        #expect(found == oracle(names).found)
    }

    /// The smallest table grows by two parts, and every name must be found in the part that has it.
    @Test(arguments: [0, 1_000_000]) func growthDoesNotChangeTheDuplicatesFound(_ expectedNames: Int) throws {
        let names = names(Self.spread(count: 280_000))
        var table = try DuplicateTable(expectedNames: expectedNames, budget: 1 << 30)
        let found = try table.insert(names, inBatchesOf: 4096)
        let (expected, oracle) = oracle(names)
        #expect(expected.count { $0.kind == .none || $0.kind == .lookalike } > 200_000)
        #expect(expected.count { $0.kind == .lookalike } > 10_000)
        let differing = zip(found, expected).count { $0 != $1 }
        #expect(differing == 0)
        let groups = table.groups.largestFirst
        for group in groups { #expect(oracle.rowsByKey[LookalikeKey(group.name.lowercased).letters] == group.rows) }
    }

    /// Mostly new names, mixed with repetitions: the same name, the name with a capital, or with an `l` for the `i`.
    private static func spread(count: Int) -> [PackedASCII] {
        var random = SeededGenerator(seed: 9)
        let alphabet = Array("abefghijkpquvxyz".utf8)
        return (0..<count).compactMap { number in
            let isRepeated = Int.random(in: 0..<4, using: &random) == 0
            var rest = isRepeated ? Int.random(in: 0...number, using: &random) : number
            var bytes = Array("jim".utf8)
            // Sixteen letters of which no two look alike, so that different numbers have different keys.
            for place in 0..<6 {
                bytes.append(alphabet[rest % 16])
                if place % 2 == 0 { bytes.append(UInt8(ascii: "t")) }
                rest /= 16
            }
            if isRepeated {
                switch random.next() % 3 {
                case 0: bytes[0] = UInt8(ascii: "J")
                case 1: bytes[1] = UInt8(ascii: "l")
                default: break
                }
            }
            return PackedASCII(bytes)
        }
    }

    @Test func exceededBudgetThrowsAnErrorThatNamesTheOption() throws {
        var table = try DuplicateTable(expectedNames: 10_000_000, budget: 2 << 20)
        let names = names(Self.spread(count: 120_000))
        let error = #expect(throws: BatchError.self) { try table.insert(names, inBatchesOf: 1000) }
        #expect(error?.code == .tooLarge)
        #expect(error?.description.contains("2 MiB are set; raise --memory, or split the file") == true)
    }

    /// Names that are in the table already take no memory.
    @Test func repeatedNamesTakeNoMemory() throws {
        var table = try DuplicateTable(expectedNames: 0, budget: 2 << 20)
        let few = names(Self.spread(count: 300))
        let many = (0..<400).flatMap { _ in few }
        let found = try table.insert(many, inBatchesOf: 777)
        let firsts = found.count { $0.kind == .none || $0.kind == .lookalike }
        #expect(firsts < 300)
        #expect(found == oracle(many).found)
    }

    @Test func insertIfNewReturnsWhetherTheNameIsNew() throws {
        var table = try DuplicateTable(expectedNames: 0, budget: 1 << 30)
        let names = names(["alice", "Alice", "al1ce", "bob", "alice", "b_o_b", "carol"])
        var isNew: [Bool] = []
        for (index, name) in names.enumerated() {
            isNew.append(try table.insertIfNew(name.fingerprint, line: index + 1))
        }
        #expect(isNew == [true, false, false, true, false, false, true])
    }
}

@Suite struct LargestGroupsTests {
    /// A few very frequent names and a long tail. Some groups have more rows than a byte can count.
    @Test(arguments: [1, 2, 3]) func largestGroupsEqualThoseOfADictionary(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let stems = (0..<400).map {
            "nn\(["a", "e", "u", "x"][$0 % 4])\(String($0, radix: 8).map(\.description).joined(separator: "z"))"
        }
        let letters = (0..<30_000).compactMap { _ -> PackedASCII? in
            let share = Double.random(in: 0..<1, using: &random)
            let stem = stems[Int(share * share * share * Double(stems.count))]
            return PackedASCII((Bool.random(using: &random) ? stem : "N" + stem.dropFirst() + "_").utf8)
        }
        let names = names(letters)
        var table = try DuplicateTable(expectedNames: 0, budget: 1 << 30)
        _ = try table.insert(names, inBatchesOf: 1000)
        let oracle = oracle(names).oracle
        let groups = table.groups.largestFirst
        let largest = oracle.rowsByKey.values.sorted(by: >).prefix(LargestGroups.most)
        #expect(groups.map(\.rows) == Array(largest))
        #expect(groups[0].rows > 1000)
        #expect(groups.contains { $0.rows > 255 })
        for group in groups {
            let key = LookalikeKey(group.name.lowercased).letters
            #expect(oracle.rowsByKey[key] == group.rows)
            #expect(oracle.line(ofKey: key) == group.line)
        }
    }

    /// Around 255, the limit of a byte, no row is counted twice or left out.
    @Test(arguments: [1, 2, 254, 255, 256, 257, 258, 1000])
    func largestGroupsCountEveryRowAroundTheLimitOfAByte(_ rows: Int) throws {
        var table = try DuplicateTable(expectedNames: 0, budget: 1 << 30)
        let first = (0..<rows).map { PackedASCII(stringLiteral: $0 % 3 == 0 ? "Alice" : "a1ice") }
        let others = (0..<40).flatMap { number in
            [PackedASCII]((0..<3).compactMap { _ in PackedASCII("z\(number)x".utf8) })
        }
        _ = try table.insert(names(first + others), inBatchesOf: 50)
        let group = table.groups.largestFirst.first { $0.line == line(0) }
        #expect(group?.rows == (rows < 3 ? nil : rows))
    }

    @Test func largestGroupsAreEmptyWithoutDuplicates() throws {
        var table = try DuplicateTable(expectedNames: 0, budget: 1 << 30)
        _ = try table.insert(names(["alice", "bob", "carol"]), inBatchesOf: 3)
        #expect(table.groups.largestFirst.isEmpty)
    }
}
