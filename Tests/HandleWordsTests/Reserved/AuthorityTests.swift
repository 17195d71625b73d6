import Seeds
import Testing

@testable import HandleRules
@testable import HandleWords

/// Words that also match with an affix that alone claims authority.
@Suite struct AuthorityTests {
    private let words = ReservedWords(
        ["routes", "code", "dns", "web2", "ci_cd", "cloud", "team_news"].map {
            ReservedWord(word: $0, category: "test", match: .authority)
        })

    @Test(arguments: [
        ("routes" as PackedASCII, ReservedWord.Resemblance.spelled), ("r0utes", .looks), ("ro_utes", .looks),
        ("routes_", .looks), ("official_routes", .authority), ("officialroutes", .authority),
        ("routes_team", .authority), ("routesteam", .authority), ("r0utes_t3am", .authority),
        ("verified_routes", .authority), ("real_routesteam", .authority), ("helproutesstaff", .authority),
        ("supportroutes_", .authority), ("routes_team_", .authority), ("routesteam__", .authority),
        ("dns", .spelled), ("dns_team", .authority), ("dns_team_", .authority), ("official_dns", .authority),
        ("real_dns_help", .authority), ("code", .spelled), ("code_team", .authority), ("web2_staff", .authority),
        ("ci_cd_team", .authority), ("doud_team", .authority), ("team_news", .spelled), ("teamnews", .looks),
        ("team_news_team", .authority),
    ])
    func wordMatchesItsLookalikesAndStrongAffixes(_ name: PackedASCII, _ way: ReservedWord.Resemblance) throws {
        let word = try #require(words.match(name))
        #expect(ReservedWords.resemblance(of: name, to: word) == way)
    }

    @Test(
        arguments: [
            // Other affixes, numbers and doubled letters.
            "theroutes", "my_routes", "routes_app", "routesapp", "routesbot", "routes1", "routes_2024", "rroutes",
            "routess", "my_routes_team", "real_routes_99", "routes_team_1", "routes_team_bot", "the_dns_team",
            // Short words that are not spelled, or beside an affix without an underscore.
            "dns_", "d_ns", "dn5", "c0de", "co_de", "code_", "c0de_team", "co_de_team", "web_2", "dnsteam", "realdns",
            "real_dnsteam", "realdns_team", "dn5_team", "codeteam", "realcode", "web2team", "webz_staff", "cicd",
            "teamci_cd", "doudteam", "teamdo_ud", "team", "official",
        ] as [PackedASCII])
    func otherNamesDoNotMatch(_ name: PackedASCII) {
        #expect(words.match(name) == nil)
    }

    /// On names around the built-in words, which are given one match after the other. Of the shorter ones, those of the
    /// kind `authority` have no look-alikes.
    @Test(arguments: [
        (2...4, [ReservedWord.Match.exact, .authority, .affix]), (2...4, [.exact, .lookalike, .affix]),
        (5...15, [.exact, .lookalike, .authority, .affix]),
    ])
    func eachMatchReachesFurtherThanTheOneBefore(_ lengths: ClosedRange<Int>, _ matches: [ReservedWord.Match]) throws {
        let list = try ReservedWord.list(parsing: Seeds.reservedWords).map(\.word)
            .filter { lengths.contains($0.withoutUnderscores.count) }
        let tables = matches.map { match in
            ReservedWords(list.map { ReservedWord(word: $0, category: "test", match: match) })
        }
        let affixes = Affixes.strong + Affixes.weakPrefixes + Affixes.weakSuffixes + ["1", "99", "2024"]
        var random = SeededGenerator(seed: 5)
        var found = matches.map { _ in 0 }
        for _ in 0..<40_000 {
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
            let areFound = tables.map { $0.match(letters) != nil }
            for (narrow, wide) in zip(areFound, areFound.dropFirst()) where narrow { #expect(wide, "\(letters)") }
            for index in found.indices where areFound[index] { found[index] += 1 }
        }
        for (narrow, wide) in zip(found, found.dropFirst()) {
            #expect(narrow > 1000 && wide > narrow + 200, "\(found)")
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
