import HandleRules
import HandleWords
import Testing

@testable import NameFiles

@Suite struct DuplicateTableTests {
    @Test(arguments: [1, 7, 31, 32, 33, 1000, 20_000])
    func tableFindsTheDuplicatesThatADictionaryFinds(_ batchSize: Int) throws {
        let names = crowdedNames(count: 20_000, seed: UInt64(batchSize))
        let expected = expectedDuplicates(names).found
        for kind in Duplicate.allCases { #expect(expected.contains { $0.kind == kind }) }
        var table = try DuplicateTable(expectedNames: batchSize % 2 * names.count, budget: 1 << 30)
        let found = try table.insert(names, inBatchesOf: batchSize)
        #expect(found == expected)
    }

    /// The smallest table grows by two parts, and every name must be found in the part that has it.
    @Test(arguments: [0, 1_000_000]) func growthDoesNotChangeTheDuplicatesFound(_ expectedNames: Int) throws {
        let names = fingerprinted(Self.spread(count: 280_000))
        var table = try DuplicateTable(expectedNames: expectedNames, budget: 1 << 30)
        let found = try table.insert(names, inBatchesOf: 4096)
        let (expected, oracle) = expectedDuplicates(names)
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
        let names = fingerprinted(Self.spread(count: 160_000))
        let error = #expect(throws: BatchError.self) { _ = try table.insert(names, inBatchesOf: 1000) }
        #expect(error?.code == .tooLarge)
        // 17 bytes a slot, of which 85 % are used.
        #expect(error?.description.contains("more than 104856 different names") == true)
        #expect(error?.description.contains("2 MiB are set; raise --memory, or give fewer names at a time") == true)
    }

    /// A budget for six slots is one of four, as these are a cache line.
    @Test func tableThatIsFullThrows() throws {
        var table = try DuplicateTable(expectedNames: 0, budget: 6 * SlotMemory.bytesPerSlot)
        let names = fingerprinted(["alice", "bob", "carol", "dave"])
        for name in names[..<3] { #expect(try table.insertIfNew(name.fingerprint, line: 1)) }
        #expect(throws: BatchError.self) { _ = try table.insertIfNew(names[3].fingerprint, line: 1) }
    }

    /// The walks of these keys begin at the last line of the table. To the key that ends in zeros, a free slot looks like
    /// one with the key.
    @Test func walksGoOnAtTheFirstSlot() throws {
        let keys = [0xFFFF_FF80_0000_0000] + (1...9).map { UInt64.max - $0 << 20 }
        let names = (keys + keys).enumerated().map { index, key in
            IndexedName(row: Int32(index), fingerprint: Fingerprint(key: key, name: key << Fingerprint.capitalBits))
        }
        var rows = [Row](repeating: Row(), count: names.count)
        var table = try DuplicateTable(expectedNames: 0, budget: 1 << 30)
        try table.insert(names, in: &rows) { $0 + 1 }
        #expect(rows.map(\.duplicate) == keys.map { _ in .none } + keys.map { _ in .exact })
        #expect(rows.map(\.firstLine) == keys.map { _ in 0 } + Array(1...keys.count))
    }

    /// Names that are in the table already take no memory.
    @Test func repeatedNamesTakeNoMemory() throws {
        var table = try DuplicateTable(expectedNames: 0, budget: 2 << 20)
        let few = fingerprinted(Self.spread(count: 300))
        let many = (0..<400).flatMap { _ in few }
        let found = try table.insert(many, inBatchesOf: 777)
        let firsts = found.count { $0.kind == .none || $0.kind == .lookalike }
        #expect(firsts < 300)
        #expect(found == expectedDuplicates(many).found)
    }

    @Test func insertIfNewReturnsWhetherTheNameIsNew() throws {
        var table = try DuplicateTable(expectedNames: 0, budget: 1 << 30)
        let names = fingerprinted(["alice", "Alice", "al1ce", "bob", "alice", "b_o_b", "carol"])
        var isNew: [Bool] = []
        for (index, name) in names.enumerated() {
            isNew.append(try table.insertIfNew(name.fingerprint, line: index + 1))
        }
        #expect(isNew == [true, false, false, true, false, false, true])
    }
}
