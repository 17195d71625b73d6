import Seeds
import TestSupport
import Testing

@testable import HandleRules
@testable import HandleWords

/// The built-in reserved words, tested against disguised and innocent names.
@Suite struct DisguiseTests {
    private static let words: ReservedWords? = try? ReservedWords.listed()

    private func match(_ name: String) throws -> ReservedWord? {
        try #require(Self.words).match(try #require(PackedASCII(name.utf8)))
    }

    @Test func disguisesOfReservedWordsAreRecognised() throws {
        let cases = Vectors.read("disguises")
        #expect(cases.count > 40)
        for fields in cases {
            let word = try match(fields[1])
            #expect(word?.word.description == fields[0], "\(fields[1])")
            #expect(try match(fields[0]) != nil, "\(fields[0]) is no reserved word")
        }
    }

    @Test func innocentNamesMatchNoReservedWord() throws {
        let cases = Vectors.read("innocent")
        #expect(cases.count > 40)
        for fields in cases {
            let word = try match(fields[0])?.word.description
            #expect(word == nil, "\(fields[0]) is taken for \(word ?? "")")
        }
    }

    /// A quick check skips the search for names that have no affix to remove. It must pass every name that the search
    /// would find; numbers are no names.
    @Test func quickCheckPassesEveryNameThatTheSearchFinds() throws {
        let words = try ReservedWords.listed()
        let list = try ReservedWord.list(parsing: Seeds.reservedWords).map { Array($0.word.description.utf8) }
        let affixes = ["the", "real", "this_is", "my", "team", "co", "hq", "_", "__", "1", "99", "2024", "12345", "_7"]
        let digits = Array("iI1lo0s5b8z2a4e3gq967t_".utf8)
        var random = SeededGenerator(seed: 11)
        var found = 0
        for _ in 0..<300_000 {
            var name = list.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let affix = Array((affixes.randomElement(using: &random) ?? "").utf8)
                name = Bool.random(using: &random) ? affix + name : name + affix
            }
            if random.next() % 2 == 0, let place = name.indices.randomElement(using: &random) {
                name[place] = digits.randomElement(using: &random) ?? 0
            }
            guard let letters = PackedASCII(name)?.lowercased, !letters.isEmpty else { continue }
            let (keyed, folded) = (KeyedName(letters), letters.folded)
            guard words.affixed(keyed, folded: folded) != nil else { continue }
            found += 1
            #expect(words.match(letters) != nil, "\(letters)")
        }
        #expect(found > 15_000)
    }

    @Test(arguments: [
        // Underscores on both sides, and on both sides of the number.
        "_admin9", "__ad9", "admin_9", "admin9_", "ad9_", "admin__99__", "_admin_99_", "adm1n_2024",
        // Digits that belong to the suffix, before underscores.
        "admin_c0_", "adminteam_", "admin_1nf0_", "admin_he1p__",
        // A suffix before the number.
        "admin_co9", "adminteam_2024", "admin_c0_9", "_admin_co_9", "adminhq_1234_",
        // A longer end than eight bytes show, and a fifth digit that belongs to the suffix.
        "adminbot_1234_", "admin_bot__99__", "admin_c01234",
        // A prefix behind underscores.
        "_theadmin", "__real_admin", "_theadmin_9",
        // A digit that looks like a part of the letter before it.
        "doc1", "doc_11", "disc1", "music1", "mus1c_1",
    ])
    func quickCheckPassesEndsOfAllShapes(_ name: PackedASCII) {
        let list: [PackedASCII] = ["admin", "ad", "doc", "disc", "music"]
        let words = ReservedWords(list.map { ReservedWord(word: $0, category: "test", match: .affix) })
        let keyed = KeyedName(name)
        #expect(words.affixed(keyed, folded: name.folded) != nil)
        #expect(words.match(name) != nil)
    }

    /// Candidate words are found by a rough key. Each name that is like a word must lead to it.
    @Test func everyWordIsFoundWithOneRunOfAnyLength() throws {
        let list = try ReservedWord.list(parsing: Seeds.reservedWords)
        let words = CandidateWords(list)
        var count = 0
        for word in list where word.match == .affix {
            let letters = word.word.withoutUnderscores
            for index in 0..<letters.count where index == 0 || letters[index] != letters[index - 1] {
                for length in 1...6 {
                    var name = (0..<index).map { letters[$0] } + [UInt8](repeating: letters[index], count: length)
                    name += (0..<letters.count).map { letters[$0] }.dropFirst(index).drop { $0 == letters[index] }
                    guard let letters = PackedASCII(name) else { continue }
                    let disguise = KeyedName(letters)
                    guard let likeness = Likeness(of: disguise, to: KeyedWord(word)) else { continue }
                    count += 1
                    let closest = words.closest(to: disguise)?.likeness
                    #expect(closest.map { $0 <= likeness } == true, "\(letters) passes for \(word.word)")
                }
            }
        }
        #expect(count > 30_000)
    }

    /// Such as `m0derator`, `rnoderator` or `moderator_team`: the disguises that each word promises to refuse. Those that
    /// pass are innocent names, such as `dally` for `daily`.
    @Test func nearlyAllDisguisesOfTheWordsAreRefused() throws {
        let words = try ReservedWords.listed()
        let free: [Disguise.Kind: Int] = [.digit: 11, .letter: 18, .pair: 20, .doubled: 26]
        let disguises = Dictionary(grouping: try ReservedWord.listed().flatMap(Disguise.all), by: \.kind)
        for kind in Disguise.Kind.allCases {
            let names = disguises[kind, default: []].map(\.name)
            #expect(names.count > 3_000, "\(kind)")
            #expect(names.count { words.match($0) == nil } <= free[kind, default: 0], "\(kind)")
        }
    }
}
