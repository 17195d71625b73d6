public import HandleCore

/// How a change of the reserved words ended.
public enum WordOutcome: Sendable, Equatable {
    case changed
    /// The word is of the locked core and stays as it is.
    case locked(ReservedWord)
    /// There is no such word to take off.
    case notFound
}

extension Registry {
    /// Takes in what the database says about reserved words, if it has changed.
    /// - Returns: whether other words are in force now.
    /// - Throws: `PostgresError`; the words in force stay.
    @discardableResult
    public func refreshWords() async throws -> Bool {
        guard let fingerprint = try await pool.run(WordsFingerprint()).first, !vocabulary.isCurrent(fingerprint) else {
            return false
        }
        vocabulary.apply(try await pool.run(LookupWords()), fingerprint: fingerprint)
        return true
    }

    /// What has been changed about the words that the program carries, in alphabetical order.
    public func wordChanges() async throws -> [WordChange] {
        try await pool.run(LookupWords())
    }

    /// Reserves a word, or changes how far it reaches; every instance knows within two seconds.
    /// Whoever has it already keeps it.
    public func addWord(_ change: WordChange) async throws -> WordOutcome {
        if let word = vocabulary.lockedWord(change.word) { return .locked(word) }
        _ = try await pool.run(PutWord(change: change))
        try await refreshWords()
        return .changed
    }

    /// Takes a word off, one of those that the program carries or one that was added.
    public func removeWord(_ word: PackedASCII, actor: String, comment: String = "") async throws -> WordOutcome {
        if let word = vocabulary.lockedWord(word) { return .locked(word) }
        guard let found = words.word(word) else { return .notFound }
        let change = WordChange(
            word: word, category: found.category, match: nil, comment: comment, actor: actor)
        _ = try await pool.run(PutWord(change: change))
        try await refreshWords()
        return .changed
    }
}
