import Seeds
import TestSupport
import Testing

@testable import HandleCore

/// The words that the binary carries, against names of both kinds.
@Suite struct DisguiseTests {
    private static let words: ReservedWords? = try? ReservedWords(
        ReservedWord.list(parsing: Seeds.reservedWords), innocent: ReservedWord.names(parsing: Seeds.innocentNames))

    private func match(_ name: String) throws -> ReservedWord? {
        try #require(Self.words).match(try #require(PackedASCII(name.utf8)))
    }

    @Test func areRecognised() throws {
        let cases = Vectors.read("disguises")
        #expect(cases.count > 40)
        for fields in cases {
            let word = try match(fields[1])
            #expect(word != nil, "\(fields[1]) passes for \(fields[0])")
            #expect(try match(fields[0]) != nil, "\(fields[0]) is no reserved word")
        }
    }

    @Test func areNotSeenInInnocentNames() throws {
        let cases = Vectors.read("innocent")
        #expect(cases.count > 40)
        for fields in cases {
            let word = try match(fields[0])?.word.description
            #expect(word == nil, "\(fields[0]) is taken for \(word ?? "")")
        }
    }

    @Test func areNotSeenInTheNamesThatAreKnownToBeInnocent() throws {
        for name in try ReservedWord.names(parsing: Seeds.innocentNames) {
            #expect(try #require(Self.words).match(name) == nil, "\(name)")
        }
    }

    /// Whatever is refused in one spelling is refused with its letters changed for look-alikes one to one.
    @Test func ofEveryWordAreRecognisedLetterByLetter() throws {
        let twins: [UInt8: [UInt8]] = Dictionary(
            uniqueKeysWithValues: ["o0", "s5", "b8", "z2", "a4", "e3", "t7", "l1", "i1", "g9"].map { pair in
                (Array(pair.utf8)[0], [Array(pair.utf8)[1]])
            })
        var random = SeededGenerator(seed: 11)
        var count = 0
        for word in try ReservedWord.list(parsing: Seeds.reservedWords) where word.match != .exact {
            var disguise = (0..<word.word.count).map { word.word[$0] }
            for index in disguise.indices where Bool.random(using: &random) {
                disguise[index] = twins[disguise[index]]?.first ?? disguise[index]
            }
            let letters = try #require(PackedASCII(disguise))
            #expect(try #require(Self.words).match(letters) != nil, "\(letters) passes for \(word.word)")
            count += 1
        }
        #expect(count > 3000)
    }
}
