package import HandleCore

/// The reserved words as they are, and as they would be with some edits.
package struct ProposedWords: Sendable {
    package let before: ReservedWords
    package let after: ReservedWords
    /// False if `after` is the same as `before`.
    package let areChanged: Bool
    private let vocabulary: Vocabulary
    /// The words that are changed already, also those that are taken off.
    private let changed: Set<PackedASCII>

    /// - Parameters:
    ///   - changes: the changes of the built-in words that are in force.
    ///   - edits: of several with the same letters, only the last counts.
    init(_ vocabulary: Vocabulary, _ changes: [WordChange], with edits: [WordEdit]) {
        self.vocabulary = vocabulary
        changed = Set(changes.map(\.word))
        before = vocabulary.words(with: changes)
        areChanged = !edits.isEmpty
        guard areChanged else {
            after = before
            return
        }
        var edited = Dictionary(uniqueKeysWithValues: changes.map { ($0.word, $0) })
        var innocent: [PackedASCII] = []
        for edit in Dictionary(edits.map { ($0.letters, $0) }, uniquingKeysWith: { $1 }).values {
            switch edit {
            case .reserve(let word):
                edited[word.word] = WordChange(word: word.word, category: word.category, match: word.match, actor: "")
            case .remove(let word): edited[word] = WordChange(word: word, category: "", match: nil, actor: "")
            case .exempt(let name): innocent.append(name)
            }
        }
        // In alphabetical order, as changes are read from the database: the first of several equal words is reported.
        after = vocabulary.words(with: edited.values.sorted { $0.word < $1.word }, innocent: innocent)
    }

    /// The built-in words with some edits.
    package static func builtIn(with edits: [WordEdit]) throws(ReservedWord.ListError) -> ProposedWords {
        ProposedWords(try Vocabulary(), [], with: edits)
    }

    /// The reason why an edit can't be applied to the words as they are; nil if it can, even if it changes nothing.
    package func fault(of edit: WordEdit) -> WordEdit.Fault? {
        let present = before.word(edit.letters)
        if case .reserve(let word) = edit, word == present { return nil }
        if let locked = vocabulary.lockedWord(edit.letters) { return .locked(locked) }
        if case .exempt = edit { return present.map { .reserved($0) } }
        // A word that is taken off already is no fault, so a list can be measured again after it is applied.
        if case .remove = edit, present == nil, !changed.contains(edit.letters) { return .unknown }
        return nil
    }
}

extension Registry {
    /// The words in force, and as they would be with some edits. Nothing is changed.
    /// - Throws: `PostgresError`
    package func proposedWords(with edits: [WordEdit]) async throws -> ProposedWords {
        ProposedWords(vocabulary, try await wordChanges(), with: edits)
    }
}
