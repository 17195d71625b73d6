import HandleRules
import HandleWords
import Testing

@testable import NameFiles

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
        let names = fingerprinted(letters)
        var table = try DuplicateTable(expectedNames: 0, budget: 1 << 30)
        _ = try table.insert(names, inBatchesOf: 1000)
        let oracle = expectedDuplicates(names).oracle
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
        _ = try table.insert(fingerprinted(first + others), inBatchesOf: 50)
        let group = table.groups.largestFirst.first { $0.line == lineNumber(0) }
        #expect(group?.rows == (rows < 3 ? nil : rows))
    }
}
