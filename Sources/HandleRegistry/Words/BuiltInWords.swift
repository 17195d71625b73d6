package import HandleRules
package import HandleWords
import Seeds

/// The words and innocent names that the program carries.
struct BuiltInWords: Sendable {
    let words: [ListedWord]
    let innocentNames: [PackedASCII]
    private let byLetters: [PackedASCII: ListedWord]
    private let innocent: [PackedASCII: WordLine]
    private let locked: ReservedWords

    /// - Throws: ``ReservedWord/ListError`` for a fault of the lists.
    init() throws(ReservedWord.ListError) {
        words = try ListedWord.list(parsing: Seeds.reservedWords + Seeds.offensiveWords)
        let innocent = try WordLine.list(parsing: Seeds.innocentNames, of: [.innocent])
        innocentNames = innocent.map(\.word)
        self.innocent = Dictionary(uniqueKeysWithValues: innocent.map { ($0.word, $0) })
        locked = ReservedWords(words.map(\.word).filter(\.isLocked))
        byLetters = Dictionary(uniqueKeysWithValues: words.map { ($0.word.word, $0) })
    }

    /// The word with these letters; nil if there is none.
    subscript(letters: PackedASCII) -> ListedWord? { byLetters[letters] }

    /// The innocent name with these letters, as if it had been added.
    func innocentName(_ letters: PackedASCII) -> WordChange? {
        innocent[letters].map { WordChange($0, source: WordChange.builtIn, actor: "") }
    }

    /// The word of the locked core with these letters.
    func lockedWord(_ letters: PackedASCII) -> ReservedWord? {
        byLetters[letters].flatMap { $0.word.isLocked ? $0.word : nil }
    }

    /// The word of the locked core that a name is or imitates.
    func lockedWord(like name: PackedASCII) -> ReservedWord? { locked.match(name) }
}

extension ReservedWords {
    /// The built-in words, which the binary carries.
    /// - Parameter off: categories without effect; see ``Policy/wordsOff``.
    package static func builtIn(off: Set<String> = []) throws(ReservedWord.ListError) -> ReservedWords {
        try WordsInForce.builtIn(off: off).tables
    }
}
