import Seeds
import Testing

@testable import HandleCore

/// Words that also match with an affix that alone claims authority.
@Suite struct AuthorityTests {
    private let words = ReservedWords(
        ["routes", "code", "dns", "web2", "team_news"].map {
            ReservedWord(word: $0, category: "test", match: .authority)
        })

    @Test(arguments: [
        ("routes" as PackedASCII, ReservedWord.Way.spelled), ("r0utes", .looks), ("ro_utes", .looks),
        ("routes_", .looks), ("official_routes", .authority), ("officialroutes", .authority),
        ("routes_team", .authority), ("routesteam", .authority), ("r0utes_t3am", .authority),
        ("verified_routes", .authority), ("real_routesteam", .authority), ("helproutesstaff", .authority),
        ("supportroutes_", .authority),
        ("routes_team_", .authority), ("routesteam__", .authority), ("dns", .spelled), ("d_ns", .looks),
        ("dn5", .looks), ("dns_team", .authority),
        ("official_dns", .authority), ("real_dns_help", .authority), ("code_team", .authority),
        ("c0de_team", .authority), ("web2_staff", .authority), ("team_news", .spelled), ("team_news_team", .authority),
    ])
    func wordMatchesItsLookalikesAndStrongAffixes(_ name: PackedASCII, _ way: ReservedWord.Way) throws {
        let word = try #require(words.match(name))
        #expect(ReservedWords.way(from: name, to: word) == way)
    }

    @Test(
        arguments: [
            // Other affixes, numbers and doubled letters.
            "theroutes", "my_routes", "routes_app", "routesapp", "routesbot", "routes1", "routes_2024", "rroutes",
            "routess", "my_routes_team", "real_routes_99", "routes_team_1", "routes_team_bot", "the_dns_team",
            // Short words beside an affix without an underscore.
            "dnsteam", "realdns", "real_dnsteam", "realdns_team", "dn5_team", "codeteam", "realcode", "web2team",
            "webz_staff", "team", "official",
        ] as [PackedASCII])
    func otherNamesDoNotMatch(_ name: PackedASCII) {
        #expect(words.match(name) == nil)
    }

    /// On names around the built-in words, which are given one match after the other.
    @Test func eachMatchReachesFurtherThanTheOneBefore() throws {
        let list = try ReservedWord.list(parsing: Seeds.reservedWords).map(\.word)
        let tables = ReservedWord.Match.allCases.sorted().map { match in
            ReservedWords(list.map { ReservedWord(word: $0, category: "test", match: match) })
        }
        let affixes = Affixes.strong + Affixes.weakPrefixes + Affixes.weakSuffixes + ["1", "99", "2024"]
        var random = SeededGenerator(seed: 5)
        var found = [0, 0, 0, 0]
        for _ in 0..<80_000 {
            var name = Array((list.randomElement(using: &random) ?? "").description.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let affix = Array((affixes.randomElement(using: &random) ?? "").description.utf8)
                let joint = Bool.random(using: &random) ? [Rules.underscore] : []
                name = Bool.random(using: &random) ? affix + joint + name : name + joint + affix
            }
            if random.next() % 3 == 0, let place = name.indices.randomElement(using: &random) {
                name[place] = Array("10_etls5".utf8).randomElement(using: &random) ?? 0
            }
            guard let letters = PackedASCII(name) else { continue }
            let matches = tables.map { $0.match(letters) != nil }
            for (narrow, wide) in zip(matches, matches.dropFirst()) where narrow { #expect(wide, "\(letters)") }
            for index in found.indices where matches[index] { found[index] += 1 }
        }
        for (narrow, wide) in zip(found, found.dropFirst()) {
            #expect(narrow > 1000 && wide > narrow + 300, "\(found)")
        }
    }

    @Test func everyDisguiseThatTheMatchPromisesToRefuseIsRefused() throws {
        let list = try ReservedWord.list(parsing: Seeds.reservedWords)
        let words = list.map { ReservedWord(word: $0.word, category: "test", match: .authority) }
        let table = ReservedWords(words)
        var count = 0
        for word in words {
            for disguise in Disguise.all(of: word) {
                count += 1
                #expect(table.match(disguise.name) != nil, "\(disguise.name) passes for \(word.word)")
            }
        }
        #expect(count > 50_000)
    }
}
