import Testing

@testable import HandleCore

/// The vector code must say what the code for single names says.
@Suite(.enabled(if: NameScanner.isAvailable)) struct NameScannerTests {
    /// Lowercase names of letters that pairs, runs, affixes and words are made of.
    private static func names(count: Int, seed: UInt64) throws -> [PackedASCII] {
        var random = SeededGenerator(seed: seed)
        let words = try ReservedWord.listed().map { Array($0.word.description.utf8) }
        let affixes = (Affixes.strong + Affixes.weakPrefixes + Affixes.weakSuffixes).map { Array($0.description.utf8) }
        let alphabets = ["rnmcdil1vw_", "abcdefghijklmnopqrstuvwxyz", "o0s5b8_", "rncivl_019", "aaab_1"].map {
            Array($0.utf8)
        }
        let numbers = ["1", "99", "_2024", "12345", "__7_", "_", "___", "0"].map { Array($0.utf8) }
        return (0..<count).compactMap { _ in
            var name: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch random.next() % 6 {
                case 0: name += words.randomElement(using: &random) ?? []
                case 1: name += affixes.randomElement(using: &random) ?? []
                case 2: name += numbers.randomElement(using: &random) ?? []
                default:
                    let alphabet = alphabets.randomElement(using: &random) ?? []
                    name += (0..<Int.random(in: 1...5, using: &random)).compactMap { _ in
                        alphabet.randomElement(using: &random)
                    }
                }
            }
            return PackedASCII(name.prefix(Int.random(in: 1...15, using: &random)))
        }
    }

    @Test(arguments: [1, 2]) func scanningFindsTheKeysAndSuspicionsOfSingleNames(_ seed: UInt64) throws {
        let words = try ReservedWords.listed()
        let scanner = try #require(words.scanner)
        let names = try Self.names(count: 60_000, seed: seed)
        var keys = [PackedASCII](repeating: "unset", count: names.count)
        var (unread, suspects) = (Set<Int>(), [Int: NameScanner.Suspect]())
        names.withUnsafeBufferPointer { names in
            keys.withUnsafeMutableBufferPointer { keys in
                guard let keys = keys.baseAddress else { return }
                scanner.scan(names, keys: keys) {
                    unread.insert($0)
                } suspect: {
                    suspects[$0.index] = $0
                }
            }
        }
        var seen: [Int32: Int] = [:]
        for (index, letters) in names.enumerated() where !unread.contains(index) {
            let folded = FoldedName(letters)
            let name = KeyedName(letters, folded)
            let expected = words.suspicions(of: name, folded)
            seen[expected.rawValue, default: 0] += 1
            let suspect = suspects[index]
            // Not with #expect, which takes longer than the scanning.
            if keys[index] != name.key { Issue.record("\(letters) has the key \(keys[index])") }
            if suspect?.suspicions ?? [] != expected { Issue.record("\(letters): \(expected)") }
            guard let suspect else { continue }
            let isSame = [
                suspect.name.letters == letters, suspect.name.key == name.key, suspect.name.roughKey == name.roughKey,
                suspect.folded.letters == folded.letters, suspect.folded.bare == folded.bare,
                suspect.folded.symbols == folded.symbols,
            ]
            if isSame.contains(false) { Issue.record("\(letters) is folded otherwise: \(isSame)") }
        }
        for suspicions: Suspicions in [
            [], .likeness, .inside, .affix, .number, [.inside, .affix], [.likeness, .number],
        ] {
            #expect(seen[suspicions.rawValue, default: 0] > 50, "\(suspicions)")
        }
        #expect(unread.count > 1000 && unread.count < names.count / 3)
    }

    @Test func scannedNamesHaveTheWordsOfSingleNames() throws {
        let list = try ReservedWord.listed()
        let innocent: [PackedASCII] = ["fuckhausen", "teamadm1n", "fuckteam"]
        let names = try Self.names(count: 30_000, seed: 3)
        let scanning = ReservedWords(list, innocent: innocent, scans: true)
        let reading = ReservedWords(list, innocent: innocent, scans: false)
        let found = scanning.find(all: names)
        #expect(found == reading.find(all: names))
        #expect(found.count { $0 != nil } > 2000)
        // Each of these would be refused: for a word inside, for an affix, and for both.
        #expect(scanning.find(all: innocent) == [nil, nil, nil])
        #expect(reading.find(all: innocent) == [nil, nil, nil])
        #expect(ReservedWords(list, scans: true).find(all: innocent).allSatisfy { $0 != nil })
    }

    @Test(arguments: [true, false]) func emptyNamesHaveNoWord(_ scans: Bool) {
        let words = ReservedWords([ReservedWord(word: "___", category: "test", match: .affix)], scans: scans)
        #expect(words.find(all: ["", "___"]) == [nil, 0])
        #expect(words.match("") == nil)
    }

    /// The end of a name is found by shifts, and each length has its own.
    @Test func scanningFindsAffixesAtEveryPlace() throws {
        let words = ReservedWords([ReservedWord(word: "qx", category: "test", match: .affix)], scans: true)
        for affix in Affixes.strong + Affixes.weakSuffixes {
            for tail in ["", "_", "1", "12", "1234", "_1", "1_", "__12__", "______"] as [PackedASCII] {
                guard let name = ("qx_" as PackedASCII).joined(with: affix)?.joined(with: tail) else { continue }
                #expect(words.find(all: [name])[0] == 0, "\(name)")
            }
        }
        for prefix in Affixes.strong + Affixes.weakPrefixes {
            for front in ["", "_", "_____", "______"] as [PackedASCII] {
                guard let name = front.joined(with: prefix)?.joined(with: "_qx") else { continue }
                #expect(words.find(all: [name])[0] == 0, "\(name)")
            }
        }
    }
}
