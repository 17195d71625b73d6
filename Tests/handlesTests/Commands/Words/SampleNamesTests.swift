import HandleCore
import TestService
import TestSupport
import Testing

/// The built-in words, measured with the sample of names in `Tests/handlesTests/Samples`. The limits are the figures of
/// today: a change of the words or of the matches that refuses more names raises them on purpose, or is wrong.
@Suite struct SampleNamesTests {
    private let folder = TestFolder("sample")

    private static func sample(_ name: String) throws -> [String] {
        try Repository.text("Tests/handlesTests/Samples/\(name).txt").split(separator: "\n").map(String.init)
    }

    /// Measures the names, which must not exceed the limit of those that are refused as disguises or for a word inside.
    /// - Returns: how many look like another one.
    private func alike(_ names: [String], refusedAtMost percent: String) async throws -> Int {
        let file = try folder.file("names.txt", names.map { "\($0)\n" }.joined())
        let result = try await folder.measure(file, "--built-in", "--json", "--keys", "--at-most", percent)
        if result.status != 0 {
            // The tables show the names behind the figure.
            let tables = try await folder.measure(file, "--built-in")
            Issue.record("\(result.words)\(tables.output)")
        }
        #expect(try result.json("names") == names.count)
        return try result.json("keys", "alike")
    }

    /// Ten English words are refused, seven of which contain an offensive one. Keys are stored, so the number of names that
    /// look alike changes only with a migration.
    @Test(arguments: [
        ("given-names", "0", 125), ("surnames", "0.034", 18), ("english-words", "0.119", 6),
    ])
    func hardlyAnyNameIsRefusedByMistake(_ sample: String, _ percent: String, _ alike: Int) async throws {
        #expect(try await self.alike(Self.sample(sample), refusedAtMost: percent) == alike)
    }

    /// Handles as people make them of their given name and surname, with initials, underscores and numbers.
    @Test func hardlyAnyHandleOfAPersonIsRefusedByMistake() async throws {
        let given = try Self.sample("given-names")
        var random = SeededGenerator(seed: 7)
        let handles = try Self.sample("surnames").flatMap { surname in
            let name = given.randomElement(using: &random) ?? ""
            let (initial, last) = (name.prefix(1), surname.prefix(1))
            let (age, year) = (Int.random(in: 1...99, using: &random), Int.random(in: 1960...2009, using: &random))
            return [
                "\(name)\(surname)", "\(name)_\(surname)", "\(surname)\(name)", "\(surname)_\(name)",
                "\(initial)\(surname)", "\(initial)_\(surname)", "\(name)\(last)", "\(name)_\(last)",
                "\(surname)\(initial)", "\(name)\(surname)\(age)", "\(name)\(year)", "\(initial)\(surname)\(age)",
            ]
        }.filter { (3...15).contains($0.count) }
        #expect(handles.count > 90_000)
        _ = try await alike(handles, refusedAtMost: "0.016")
    }

    /// Such as `m0derator`, `rnoderator` or `moderator_team`: the disguises that each word promises to refuse. Those that
    /// pass are innocent names, such as `dally` for `daily`.
    @Test func nearlyAllDisguisesOfTheWordsAreRefused() async throws {
        let free: [Disguise.Kind: Int] = [.digit: 11, .letter: 18, .pair: 20, .doubled: 26]
        let result = try await folder.measure("-", "--built-in", "--json", "--disguises", input: "johndoe\n")
        for kind in Disguise.Kind.allCases {
            let tries = try result.json("disguises", kind.rawValue, "tries")
            let refused = try result.json("disguises", kind.rawValue, "refused", "after")
            #expect(tries > 3_000, "\(kind)")
            #expect(tries - refused <= free[kind, default: 0], "\(kind)")
        }
    }
}
