import HandleRegistry
import HandleRules
import HandleWords
import TestSupport
import Testing

/// The built-in words, matched with the sample of names in `Tests/handlesTests/Samples`. The limits are the figures of
/// today: a change of the words or of the matches that refuses more names raises them on purpose, or is wrong.
@Suite struct SampleNamesTests {
    private static func sample(_ name: String) throws -> [String] {
        try Repository.text("Tests/handlesTests/Samples/\(name).txt").split(separator: "\n").map(String.init)
    }

    /// Matches the names. At most `limit` may be refused as disguises or for a word inside.
    private func check(_ names: [PackedASCII], refusedAtMost limit: Int) throws {
        let words = try ReservedWords.builtIn()
        let refused = names.compactMap { name -> String? in
            guard let word = words.match(name), word.word != name else { return nil }
            return "\(name) for \(word.word)"
        }
        #expect(refused.count <= limit, "\(refused)")
    }

    /// Ten English words are refused, seven of which contain an offensive one. Keys are stored, so the number of names that
    /// look alike changes only with a migration.
    @Test(arguments: [("given-names", 0, 125), ("surnames", 3, 18), ("english-words", 10, 6)])
    func hardlyAnyNameIsRefusedByMistake(_ sample: String, _ limit: Int, _ alike: Int) throws {
        let names = try Self.sample(sample).map { try #require(PackedASCII($0.utf8)) }
        try check(names, refusedAtMost: limit)
        let groups = Dictionary(grouping: Set(names)) { LookalikeKey($0) }.values
        #expect(groups.reduce(0) { $0 + ($1.count > 1 ? $1.count : 0) } == alike)
    }

    /// Handles as people make them of their given name and surname, with initials, underscores and numbers.
    @Test func hardlyAnyHandleOfAPersonIsRefusedByMistake() throws {
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
        }.compactMap { $0.count < 3 ? nil : PackedASCII($0.utf8) }
        #expect(handles.count > 90_000)
        try check(handles, refusedAtMost: 15)
    }
}
