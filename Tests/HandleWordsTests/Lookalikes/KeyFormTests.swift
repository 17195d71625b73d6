import Testing

@testable import HandleRules
@testable import HandleWords

/// The promise of ``LookalikeKey``, written plainly: names have the same key when they are equal after this.
private enum Plain {
    static let forms: [UInt8: [UInt8]] = Dictionary(
        uniqueKeysWithValues: [
            "m=rn", "d=ci", "w=vv", "l=i", "1=i", "0=o", "5=s", "8=b", "2=z", "4=a", "3=e", "9=g", "q=g", "7=t",
        ].map { (Array($0.utf8)[0], Array($0.utf8.dropFirst(2))) })

    static func bytes(_ name: PackedASCII) -> [UInt8] { (0..<name.count).map { name.lowercased[$0] } }

    /// The letters without underscores, with at most two of a letter in a row.
    static func shortened(_ name: PackedASCII) -> [UInt8] {
        let counted = Set("abcdefghjkmnopqrstuxyz".utf8)
        return bytes(name).filter { $0 != UInt8(ascii: "_") }.reduce(into: []) { kept, letter in
            if !counted.contains(letter) || kept.suffix(2) != [letter, letter] { kept.append(letter) }
        }
    }

    /// The letters by their classes, with each letter that looks like a pair as that pair.
    static func expanded(_ letters: [UInt8]) -> [UInt8] { letters.flatMap { forms[$0] ?? [$0] } }

    /// Pairs that a key has as one letter, and `vw`, which looks like `wv`.
    static let pairs = ["rn", "ci", "vv", "vw"].map { Array($0.utf8) }

    /// Whether the key is the shortest way to write the name, of which there is one.
    static func isKey(_ key: LookalikeKey, of name: PackedASCII) -> Bool {
        let symbols = bytes(key.letters)
        return expanded(symbols) == expanded(shortened(name))
            && symbols.allSatisfy { forms[$0] == nil || "mdw".utf8.contains($0) }
            && !zip(symbols, symbols.dropFirst()).contains { pairs.contains([$0, $1]) }
    }
}

/// All keys are the normal form that ``LookalikeKey`` promises.
@Suite struct KeyFormTests {
    /// All names of up to five letters, from the letters that form pairs and runs.
    @Test func keysOfAllShortNamesAreTheShortestWayToWriteThem() {
        let alphabet = Array("rnmclidwv_a".utf8)
        var names: [PackedASCII] = [PackedASCII()]
        var longest = names
        for _ in 0..<5 {
            longest = longest.flatMap { name in
                alphabet.map { letter in
                    var longer = name
                    longer.append(letter)
                    return longer
                }
            }
            names += longest
        }
        #expect(names.count > 160_000)
        #expect(names.filter { !Plain.isKey(LookalikeKey($0), of: $0) } == [])
    }

    @Test func keysOfLongNamesAreTheShortestWayToWriteThem() {
        var random = SeededGenerator(seed: 3)
        let alphabet = Array("rnmclidwv_abdefghjkopqstuxyz0123456789RNMCLID".utf8)
        for _ in 0..<100_000 {
            let few = random.next() % 2 == 0
            let bytes = (0..<Int.random(in: 0...15, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<(few ? 9 : alphabet.count), using: &random)]
            }
            guard let name = PackedASCII(bytes) else { continue }
            if !Plain.isKey(LookalikeKey(name), of: name) { Issue.record("\(name) has the key \(LookalikeKey(name))") }
        }
    }
}
