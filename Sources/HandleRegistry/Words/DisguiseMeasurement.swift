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
    /// Tries disguises of every word that is reserved before or after the changes. Of the two matches of a word, the wider
    /// one gives the disguises. They are the same in every run.
    /// - Throws: `CancellationError`
    package func measureDisguises() throws -> DisguiseMeasurement {
        var measurement = DisguiseMeasurement()
        var widest: [PackedASCII: ReservedWord] = [:]
        for words in areChanged ? [after, before] : [after] {
            for place in 0..<words.count {
                let word = words[place]
                if let other = widest[word.word], other.match >= word.match { continue }
                widest[word.word] = word
            }
        }
        for word in widest.values.sorted(by: { $0.word < $1.word }) {
            try Task.checkCancellation()
            for disguise in Disguise.all(of: word) {
                let isRefused = after.match(disguise.name) != nil
                let wasRefused = areChanged ? before.match(disguise.name) != nil : isRefused
                measurement.note(
                    disguise, of: word, WordMeasurement.Count(before: wasRefused ? 1 : 0, after: isRefused ? 1 : 0))
            }
        }
        return measurement
    }
}
