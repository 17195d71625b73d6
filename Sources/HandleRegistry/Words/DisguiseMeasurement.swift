package import HandleCore

/// How many disguises of the reserved words are refused, before and after proposed changes.
package struct DisguiseMeasurement: Sendable, Equatable {
    /// The disguises of one kind.
    package struct Tries: Sendable, Equatable {
        package fileprivate(set) var count = 0
        package fileprivate(set) var refused = WordMeasurement.Count()
        /// The first disguises that would not be refused after the changes, each with the word.
        package fileprivate(set) var missed: [Missed] = []
    }

    package struct Missed: Sendable, Equatable {
        package let name: PackedASCII
        package let word: PackedASCII
    }

    private var tries: [Disguise.Kind: Tries] = [:]

    /// The most examples of a kind.
    private static let mostExamples = 3

    package subscript(kind: Disguise.Kind) -> Tries { tries[kind] ?? Tries() }

    /// All kinds together, without examples.
    package var all: Tries {
        tries.values.reduce(into: Tries()) {
            $0.count += $1.count
            $0.refused += $1.refused
        }
    }

    fileprivate mutating func note(_ disguise: Disguise, of word: ReservedWord, _ refused: WordMeasurement.Count) {
        var tries = self[disguise.kind]
        tries.count += 1
        tries.refused += refused
        if refused.after == 0, tries.missed.count < Self.mostExamples {
            tries.missed.append(Missed(name: disguise.name, word: word.word))
        }
        self.tries[disguise.kind] = tries
    }
}

extension ProposedWords {
    /// Tries disguises of every word that is reserved before or after the changes. A word with a changed match has those
    /// of both matches. They are the same in every run.
    /// - Throws: `CancellationError`
    package func measureDisguises() throws -> DisguiseMeasurement {
        var measurement = DisguiseMeasurement()
        var matches: [PackedASCII: [ReservedWord.Match: ReservedWord]] = [:]
        for words in areChanged ? [before, after] : [after] {
            for place in 0..<words.count { matches[words[place].word, default: [:]][words[place].match] = words[place] }
        }
        for (_, words) in matches.sorted(by: { $0.key < $1.key }) {
            try Task.checkCancellation()
            var tried: Set<Disguise> = []
            for word in ReservedWord.Match.allCases.compactMap({ words[$0] }) {
                for disguise in Disguise.all(of: word) where tried.insert(disguise).inserted {
                    let isRefused = after.match(disguise.name) != nil
                    let wasRefused = areChanged ? before.match(disguise.name) != nil : isRefused
                    measurement.note(
                        disguise, of: word, WordMeasurement.Count(before: wasRefused ? 1 : 0, after: isRefused ? 1 : 0))
                }
            }
        }
        return measurement
    }
}
