import Seeds
import Testing

@testable import HandleRules
@testable import HandleWords

/// Words that are matched letter by letter, as the whole name or inside it.
@Suite struct InsideWordsTests {
    private let words = ReservedWords(
        [
            ReservedWord(word: "shit", category: "offensive", match: .whole),
            ReservedWord(word: "porn", category: "offensive", match: .whole),
            ReservedWord(word: "fuck", category: "offensive", match: .inside),
            ReservedWord(word: "nigga", category: "offensive", match: .inside),
            ReservedWord(word: "cunt", category: "offensive", match: .inside),
            ReservedWord(word: "cock", category: "offensive", match: .inside),
            ReservedWord(word: "zug", category: "offensive", match: .inside),
            ReservedWord(word: "official", category: "company", match: .lookalike),
        ], innocent: ["scunthorpe", "cockpit", "hitchcock", "sh1t7"])

    @Test(arguments: [
        ("shit" as PackedASCII, ReservedWord.Resemblance.spelled), ("5hit", .whole), ("sh1t", .whole), ("5h1t", .whole),
        ("shi7", .whole), ("s_h_i_t", .whole), ("shit_", .whole), ("shit1", .whole), ("shit99", .whole),
        ("shit_2024", .whole), ("sh1t_99", .whole), ("shiiiit", .whole), ("sssshit", .whole), ("shiiit12", .whole),
        ("p0rn", .whole), ("porn1", .whole), ("fuck", .spelled), ("fuck99", .whole), ("f_u_c_k", .whole),
        ("fu_ck1", .whole), ("fffuck", .whole), ("fuckyou", .inside), ("thefuck", .inside), ("the_fuck", .inside),
        ("fuck_you", .inside), ("xfuckx", .inside), ("fuuuckyou", .inside), ("fuckkkkit", .inside),
        ("xfuuuuuuuuuuckx", .inside), ("fffuuuckkkk", .whole), ("xniggggaaa", .inside), ("myniggga", .inside),
        ("n1gga99999", .inside), ("xni99a", .inside),
        ("xni69ax", .inside), ("nigg499", .inside), ("nigg4", .whole), ("xxnigg4", .inside), ("xxcun7", .inside),
        ("x_nig94", .inside), ("nig94", .inside), ("xn1gg4x", .inside), ("fuck12345", .inside), ("azuga", .inside),
        ("abczug", .inside), ("abcdefghijklzug", .inside), ("abcdefghizug", .inside), ("zug", .spelled),
        ("2ug", .whole),
    ])
    func wordIsFoundWithDigitsNumbersUnderscoresAndRuns(_ name: PackedASCII, _ way: ReservedWord.Resemblance) throws {
        let word = try #require(words.match(name))
        #expect(ReservedWords.resemblance(of: name, to: word) == way)
        #expect(word.isOffensive)
    }

    /// Of two words that differ in a doubled letter, a name with three is the one with two.
    @Test(arguments: [("booob" as PackedASCII, "boob" as PackedASCII), ("bobbb", "bobb"), ("bob", "bob")])
    func longRunIsReadAsTwoLettersFirst(_ name: PackedASCII, _ word: PackedASCII) {
        let list: [PackedASCII] = ["bob", "boob", "bobb"]
        let words = ReservedWords(list.map { ReservedWord(word: $0, category: "offensive", match: .whole) })
        #expect(words.match(name)?.word == word)
    }

    @Test(
        arguments: [
            // No letter stands for another one, no pair for a letter, and a doubled letter is another one.
            "pom", "shlt", "p0m", "shiit", "fuuck", "fucck", "clunt", "nlgga", "n1g6", "vlck",
            // Words of the kind `whole` are not inside, and a longer number is none of a person.
            "shitake", "xshit", "the_shit", "pornchai", "shit12345", "shit_you",
            // Several digits at the end are a number: a person's surname and year.
            "sh17", "shi799", "shi_7", "s_h_i_7", "koenig94", "koenig64", "my_koenig94", "xxnig99999", "xxcu47",
            // Most letters of the word must be letters.
            "julien1994", "xn1994x", "n1994x", "x4cn7",
            // Underscores are between parts.
            "duc_untold", "fu_ckyou", "xfu_ck", "c_untx",
            // An innocent name is free and carries the word.
            "scunthorpe", "scunthorpe_fc", "5cunthorpe", "scunth0rpe", "xscunthorpe99", "cockpit", "cockpit_crew",
            "hitchcock", "hitchcock_99", "sh1t7",
        ] as [PackedASCII])
    func otherNamesDoNotMatch(_ name: PackedASCII) {
        #expect(words.match(name) == nil)
    }

    @Test(
        arguments: [
            "scunthorp", "scunt_horpe", "scunthorpecunt", "cuntscunthorpe", "cockhitchcock", "sh1t", "sh1t77",
            "scunthorpefuck",
        ] as [PackedASCII])
    func wordOutsideItsCarrierIsFound(_ name: PackedASCII) {
        #expect(words.match(name) != nil)
    }

    @Test func otherWordsComeFirst() {
        let words = ReservedWords([
            ReservedWord(word: "fuck", category: "offensive", match: .inside),
            ReservedWord(word: "fuckteam", category: "brands", match: .lookalike),
            ReservedWord(word: "admin", category: "roles", match: .affix),
        ])
        #expect(words.match("fuckt3am")?.category == "brands")
        #expect(words.match("fuckteam1")?.category == "offensive")
        #expect(words.match("fuckadmin")?.category == "offensive")
        #expect(words.match("admin_fuck")?.category == "offensive")
        #expect(words.match("real_admin")?.category == "roles")
    }

    /// The program writes only words of letters, but a row of the database may have any.
    @Test func wordOfAnyLettersMatchesAtLeastItself() throws {
        for match in [ReservedWord.Match.whole, .inside] {
            let list = ["ab", "a1", "sh1t", "a_b", "___", "ab_cd", "abcdefghijklmno"].compactMap { (text: String) in
                PackedASCII(text.utf8).map { ReservedWord(word: $0, category: "x", match: match) }
            }
            let words = ReservedWords(list)
            for word in list { #expect(words.match(word.word) != nil, "\(word.word)") }
            #expect(words.match("xaby") == nil, "two letters are inside too many names")
        }
    }

    /// Words are found by four letters at every second place of a name. All other places must be reached by them.
    @Test func searchFindsWhatComparingEveryPlaceFinds() throws {
        let list = try ReservedWord.list(parsing: Seeds.offensiveWords)
        let innocent = try WordLine.list(parsing: Seeds.innocentNames, of: [.innocent]).map(\.word)
        let words = ReservedWords(list, innocent: innocent)
        let oracle = Oracle(list, innocent: innocent)
        let pieces = list.map(\.word.description) + innocent.map(\.description)
        let others = ["x", "an", "the", "koenig", "1", "94", "1994", "_", "__", "9", "bi", "s"]
        let digits = Array("0123456789")
        var random = SeededGenerator(seed: 12)
        var (found, free) = (0, 0)
        for _ in 0..<8000 {
            var name = Array(pieces.randomElement(using: &random) ?? "")
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let other = Array(others.randomElement(using: &random) ?? "")
                name = Bool.random(using: &random) ? other + name : name + other
            }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = name.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: name[place] = digits.randomElement(using: &random) ?? "0"
                case 1: name.insert(contentsOf: [name[place], name[place]], at: place)
                case 2: name.insert("_", at: place)
                default: name.remove(at: place)
                }
            }
            guard let letters = PackedASCII(String(name).utf8), Handle(letters) != nil else { continue }
            let isRefused = words.match(letters) != nil
            if isRefused { found += 1 } else { free += 1 }
            #expect(isRefused == oracle.refuses(String(name)), "\(letters)")
        }
        #expect(found > 2000 && free > 1000)
    }
}

/// The same rules, without tables.
private struct Oracle {
    private let words: [(word: [UInt8], isInside: Bool)]
    private let innocent: [[UInt8]]
    private static let letters: [Character: String] = [
        "0": "o", "1": "il", "2": "z", "3": "e", "4": "a", "5": "s", "6": "g", "7": "t", "8": "b", "9": "gq",
    ]
    /// The pairs of a byte and a letter that it may be.
    private static let pairs: Set<[UInt8]> = Set(
        (letters.map { ($0, $1) } + "abcdefghijklmnopqrstuvwxyz".map { ($0, "\($0)") }).flatMap { from, to in
            to.utf8.map { [from.asciiValue ?? 0, $0] }
        })

    init(_ words: [ReservedWord], innocent: [PackedASCII]) {
        self.words = words.map { (Array($0.word.description.utf8), $0.match == .inside) }
        self.innocent = innocent.map { Array($0.description.utf8) }
    }

    func refuses(_ name: String) -> Bool {
        let letters = Array(name.utf8)
        if words.contains(where: { $0.word == letters }) { return true }
        if innocent.contains(letters) { return false }
        return readings(name).contains { name in
            let letters = Array(name.utf8)
            return words.contains { isOnly(letters, $0.word) || $0.isInside && isInside(letters, $0.word) }
        }
    }

    /// The name, and the same with some of its long runs as two letters or one.
    private func readings(_ name: String) -> Set<String> {
        var all: Set = [name]
        var last: Set<String> = []
        while all.count > last.count {
            last = all
            for name in last {
                for run in name.matches(of: #/([a-z])\1\1+/#) {
                    for length in [1, 2] {
                        let letters = String(repeating: String(run.output.1), count: length)
                        all.insert(name[..<run.range.lowerBound] + letters + name[run.range.upperBound...])
                    }
                }
            }
        }
        return all
    }

    private func reads(_ letters: [UInt8], from start: Int, _ word: [UInt8]) -> Bool {
        guard start >= 0, start + word.count <= letters.count else { return false }
        for index in word.indices where letters[start + index] != word[index] {
            if !Self.pairs.contains([letters[start + index], word[index]]) { return false }
        }
        return true
    }

    /// The number of digits at the end.
    private func number(_ letters: some BidirectionalCollection<UInt8>) -> Int {
        letters.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    }

    private func isOnly(_ name: [UInt8], _ word: [UInt8]) -> Bool {
        let bare = name.filter { $0 != UInt8(ascii: "_") }
        let (digits, number) = (bare.count - word.count, number(bare))
        guard reads(bare, from: 0, word) else { return false }
        let isLetter = number == 1 && name.dropLast().last != UInt8(ascii: "_")
        return digits == number && digits <= 4 || digits == 0 && isLetter
    }

    private func isInside(_ name: [UInt8], _ word: [UInt8]) -> Bool {
        name.indices.contains { start in
            guard reads(name, from: start, word) else { return false }
            let hit = name[start..<start + word.count]
            guard 2 * hit.count(where: { $0 < UInt8(ascii: "a") }) < word.count else { return false }
            let underscore = UInt8(ascii: "_")
            let isFirst = start == 0 || name[start - 1] == underscore
            let rest = name[start...].prefix { $0 != underscore }
            // The number reaches into the word.
            if !isFirst, number(rest) > 1, rest.count - number(rest) < word.count { return false }
            return !innocent.contains { carrier in
                carrier.indices.contains { offset in
                    carrier[offset...].starts(with: word) && reads(name, from: start - offset, carrier)
                }
            }
        }
    }
}
