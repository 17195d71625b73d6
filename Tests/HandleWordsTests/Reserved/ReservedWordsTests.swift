import Seeds
import Testing

@testable import HandleRules
@testable import HandleWords

private let words = ReservedWords([
    ReservedWord(word: "admin", category: "roles", match: .affix),
    ReservedWord(word: "support", category: "support", match: .affix),
    ReservedWord(word: "login", category: "accounts", match: .lookalike),
    ReservedWord(word: "ads", category: "routes", match: .exact),
    ReservedWord(word: "about", category: "routes", match: .exact),
])

private func match(_ text: String) -> String? {
    words.match(PackedASCII(text.utf8) ?? PackedASCII())?.word.description
}

@Suite struct ReservedWordsTests {
    @Test(arguments: [
        ("admin", "admin"), ("adm1n", "admin"), ("ad_min", "admin"), ("real_admin", "admin"), ("admin1", "admin"),
        ("admin_2024", "admin"), ("the_admin", "admin"), ("theadmin", "admin"), ("admin_team", "admin"),
        ("adm1nteam", "admin"), ("official_admin", "admin"), ("real_admin_99", "admin"), ("support_team", "support"),
        ("supportteam", "support"), ("realadminteam", "admin"), ("log1n", "login"), ("lo_gin", "login"),
        ("ads", "ads"), ("_admin", "admin"), ("4dm1n", "admin"), ("admin_", "admin"), ("admin_team_", "admin"),
        ("_adminhelp__", "admin"), ("the_admin_99_", "admin"),
    ])
    func disguisedNamesMatchTheirReservedWord(_ name: String, _ word: String) {
        #expect(match(name) == word)
    }

    @Test(arguments: [
        "adam", "adminton", "badminton", "adds", "a_ds", "login2", "real_login", "ab0ut", "about_me", "johndoe",
        "theo", "team", "official", "2024", "sup", "x",
    ])
    func ordinaryNamesMatchNoReservedWord(_ name: String) {
        #expect(match(name) == nil)
    }

    @Test(arguments: [
        ("admin", ReservedWord.Resemblance.spelled), ("adm1n", .looks), ("ad_min", .looks), ("addmin", .doubled),
        ("real_admin", .affix), ("admin99", .affix), ("_admin", .looks), ("suport", .doubled),
    ])
    func wayTellsHowANameMatchesAWord(_ name: String, _ way: ReservedWord.Resemblance) throws {
        let letters = try #require(PackedASCII(name.utf8))
        #expect(ReservedWords.resemblance(of: letters, to: try #require(words.match(letters))) == way)
    }

    /// Each affix needs one; else `ad` would be found in `readteam`.
    @Test func shortWordNeedsAJointBesideEachAffix() {
        let words = ReservedWords([ReservedWord(word: "api", category: "test", match: .affix)])
        for name: PackedASCII in ["realapi", "the_api", "api_app", "realapi_app", "the_apiteam", "api_99"] {
            #expect(words.match(name) != nil, "\(name)")
        }
        for name: PackedASCII in ["theapi", "apiapp", "theapi_team", "theapiteam", "real_apiapp", "realapiapp"] {
            #expect(words.match(name) == nil, "\(name)")
        }
    }

    @Test func digitOfAWordIsThatDigit() {
        let words = ReservedWords([ReservedWord(word: "dev1", category: "test", match: .affix)])
        for name: PackedASCII in ["dev1", "dev_1", "real_dev1", "dev1_team", "dev12", "the_dev_1"] {
            #expect(words.match(name) != nil, "\(name)")
        }
        for name: PackedASCII in ["devi", "devl", "clev1", "real_devi", "dev"] {
            #expect(words.match(name) == nil, "\(name)")
        }
    }

    /// Three of a letter count as two in the key, but not with a digit among them.
    @Test func wordWithThreeOfALetterMatchesItsDisguises() {
        let words = ReservedWords(
            ["sssd", "carrma"].map { ReservedWord(word: $0, category: "test", match: .lookalike) })
        for name: PackedASCII in ["sssd", "ssssd", "ssd", "s5d", "ss5d", "5s_5d", "s5scl", "carrma", "carrrna"] {
            #expect(words.match(name) != nil, "\(name)")
        }
        for name: PackedASCII in ["sd", "s55sd", "carma"] { #expect(words.match(name) == nil, "\(name)") }
    }

    /// `dli` and `dn` are names of people; `d11` and `cin` are hardly any.
    @Test func lookalikeOfAShortWordNeedsEvidenceOfADisguise() {
        let words = ReservedWords(
            ["dll", "dn", "a_i", "clo", "mail"].map { ReservedWord(word: $0, category: "test", match: .lookalike) })
        let disguises: [PackedASCII] = [
            "dll", "d11", "dl1", "d_li", "clll", "cin", "d_n", "ai", "a1", "a_l", "do", "d_o", "c1o", "maii",
        ]
        for name in disguises { #expect(words.match(name) != nil, "\(name)") }
        for name: PackedASCII in ["dli", "dil", "dii", "al", "cio"] { #expect(words.match(name) == nil, "\(name)") }
    }

    @Test(arguments: ["addmin", "adminn", "aadmin", "admiiin", "ad_minn", "supportt", "suport", "suppport"])
    func wordWithOneRunOfAnotherLengthMatches(_ name: String) throws {
        #expect(match(name) != nil)
    }

    @Test func wordIsNoLongerDoubled() {
        // Two runs differ, a surname follows an initial, a digit is doubled, the kind reaches no further, or the word is
        // short.
        let words = ReservedWords([
            ReservedWord(word: "more", category: "test", match: .affix),
            ReservedWord(word: "api2", category: "test", match: .affix),
            ReservedWord(word: "login", category: "test", match: .lookalike),
            ReservedWord(word: "ads", category: "test", match: .affix),
        ])
        for name: PackedASCII in ["mmoore", "m_moore", "m_more", "api22x", "loggin", "adds", "moer", "mor", "mores"] {
            #expect(words.match(name) == nil, "\(name)")
        }
        #expect(words.match("mmore") != nil)
        #expect(ReservedWords.resemblance(of: "api22", to: words[1]) == .affix)
    }

    /// A short word beside an affix must be spelled, and be set apart by an underscore, a number or a strong affix.
    @Test func shortWordBesideAnAffixNeedsAJoint() {
        let words = ReservedWords(["ads", "dot"].map { ReservedWord(word: $0, category: "test", match: .affix) })
        let disguises: [PackedASCII] = [
            "the_ads", "adsteam", "ads_live", "ads1", "ads123", "ads_1234", "adsteam1234", "real_ads_99", "_ads",
        ]
        for name in disguises { #expect(words.match(name) != nil, "\(name)") }
        for name: PackedASCII in ["theads", "adslive", "ads1234", "the_4ds", "real_clot", "clotteam"] {
            #expect(words.match(name) == nil, "\(name)")
        }
    }

    /// Beside an affix a longer word may be disguised, but not doubled.
    @Test func longWordBesideAnAffixMayLookLikeTheWord() {
        let words = ReservedWords(
            ["admin", "public", "clog", "stuff"].map { ReservedWord(word: $0, category: "test", match: .affix) })
        let disguises: [PackedASCII] = [
            "the4dm1n", "real_aclmin", "adrnin_team", "public1", "pub1ic1", "public12", "public_11", "stuff8",
            "5tuff88", "the_clog",
        ]
        for name in disguises { #expect(words.match(name) != nil, "\(name)") }
        for name: PackedASCII in ["addmin_team", "real_addmin", "real_dog", "dog1", "stuf_team"] {
            #expect(words.match(name) == nil, "\(name)")
        }
    }

    @Test func closestOfSeveralWordsIsFound() {
        let words = ReservedWords(
            ["support", "supp0rt", "suport", "su_port"].map { ReservedWord(word: $0, category: "test", match: .affix) })
        let found: [(PackedASCII, PackedASCII)] = [
            ("support", "support"), ("supp0rt", "supp0rt"), ("suport", "suport"), ("su_port", "su_port"),
            ("s_uport", "suport"), ("5uport", "suport"), ("supporrt", "support"),
        ]
        for (name, word) in found { #expect(words.match(name)?.word == word, "\(name)") }
    }

    @Test func listedWordsKeepTheirComments() throws {
        let list = try ListedWord.list(parsing: "# x\nacme\tbrands\taffix\tours\nbeta\ttest\texact\n".utf8)
        #expect(list.map(\.word.word) == ["acme", "beta"])
        #expect(list.map(\.comment) == ["ours", ""])
    }

    @Test func emptyWordListMatchesNothing() {
        #expect(ReservedWords([]).match("admin") == nil)
    }

    @Test func everyWordOfALargeListIsFound() {
        let list = (0..<5000).map { number in
            ReservedWord(
                word: PackedASCII("w\(number)x".utf8) ?? PackedASCII(), category: "test", match: .exact)
        }
        let words = ReservedWords(list)
        for word in list { #expect(words.match(word.word) == word) }
        #expect(words.match("w5000x") == nil)
    }

    /// A random mix of words, disguised words and other names.
    private static func names(count: Int, _ list: [ReservedWord]) -> [PackedASCII] {
        var random = SeededGenerator(seed: 11)
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789_oil1rnmdcwv".utf8)
        let affixes = ["real_", "the", "_team", "99", "_", "x", "hq", "team"].map { Array($0.utf8) }
        return (0..<count).compactMap { _ in
            var name = (0..<Int.random(in: 0...15, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            guard let word = list.randomElement(using: &random), random.next() % 3 > 0 else { return PackedASCII(name) }
            name = (0..<word.word.count).map { word.word[$0] }
            let affix = affixes.randomElement(using: &random) ?? []
            switch random.next() % 5 {
            case 0: name = affix + name
            case 1: name += affix
            case 2: name[Int.random(in: name.indices, using: &random)] = alphabet.randomElement(using: &random) ?? 0
            case 3: name.insert(UInt8(ascii: "_"), at: Int.random(in: 0...name.count, using: &random))
            default: break
            }
            return PackedASCII(name)
        }
    }

    @Test func wordIsFoundWithTheKeyOfTheName() throws {
        let words = try ReservedWords.listed()
        let names = Self.names(count: 5000, try ReservedWord.list(parsing: Seeds.reservedWords))
        for name in names {
            let found = words.find(name)
            if found.key != LookalikeKey(name) { Issue.record("\(name)") }
            if found.place.map({ words[$0] }) != words.match(name) { Issue.record("\(name)") }
        }
        #expect(names.count { words.match($0) != nil } > 1000)
    }

    @Test func innocentNameWithAnAffixOrAWordInsideIsFree() {
        let list = [
            ReservedWord(word: "admin", category: "roles", match: .affix),
            ReservedWord(word: "fuck", category: "offensive", match: .inside),
        ]
        let innocent: [PackedASCII] = ["fuckhausen", "teamadm1n", "fuckteam"]
        for name in innocent {
            #expect(ReservedWords(list, innocent: innocent).match(name) == nil, "\(name)")
            #expect(ReservedWords(list).match(name) != nil, "\(name)")
        }
    }

    @Test func emptyNameHasNoWord() {
        let words = ReservedWords([ReservedWord(word: "___", category: "test", match: .affix)])
        #expect(words.match("") == nil)
        #expect(words.match("___") != nil)
    }

    /// The end of a name is found by shifts, and each length has its own.
    @Test func affixesAreFoundAtEveryPlace() {
        let words = ReservedWords([ReservedWord(word: "qx", category: "test", match: .affix)])
        for affix in Affixes.strong + Affixes.weakSuffixes {
            for tail in ["", "_", "1", "12", "1234", "_1", "1_", "__12__", "______"] as [PackedASCII] {
                guard let name = ("qx_" as PackedASCII).joined(with: affix)?.joined(with: tail) else { continue }
                #expect(words.match(name) != nil, "\(name)")
            }
        }
        for prefix in Affixes.strong + Affixes.weakPrefixes {
            for front in ["", "_", "_____", "______"] as [PackedASCII] {
                guard let name = front.joined(with: prefix)?.joined(with: "_qx") else { continue }
                #expect(words.match(name) != nil, "\(name)")
            }
        }
    }
}
