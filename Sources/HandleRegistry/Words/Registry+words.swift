package import HandleCore
import Postgres

/// How a change of the reserved words ended.
package enum WordOutcome: Sendable, Equatable {
    case changed
    /// The word is of the locked core and stays as it is.
    case locked(ReservedWord)
    /// There is no such word to take off.
    case notFound
}

/// What a change of the reserved words would come to.
package enum WordEffect: Sendable, Equatable {
    /// The word is not reserved now.
    case added
    /// It is, with another category, match kind, comment or end.
    case changed
    /// Nothing would change.
    case same
    /// The word is of the locked core and stays as it is.
    case locked(ReservedWord)
}

extension Registry {
    /// Takes in what the database says about reserved words, if it has changed.
    /// - Returns: whether other words are in force now.
    /// - Throws: `PostgresError`; the words in force stay.
    @discardableResult
    package func refreshWords() async throws -> Bool {
        // Before the look-up: from here on they may change again.
        let now = ContinuousClock.now
        guard let fingerprint = try await background.run(WordsFingerprint()).first else { return false }
        if vocabulary.confirm(fingerprint, at: now) { return false }
        vocabulary.apply(try await background.run(LookupWords()), fingerprint: fingerprint, at: now)
        return true
    }

    /// What has been changed about the words that the program carries, in alphabetical order.
    package func wordChanges() async throws -> [WordChange] {
        try await pool.run(LookupWords())
    }

    /// Every word in force, in alphabetical order, those that the program carries as though they had been added.
    /// - Throws: `PostgresError`
    package func wordsInForce() async throws -> [WordChange] {
        let changes = try await wordChanges().filter { vocabulary.lockedWord($0.word) == nil }
        let changed = Set(changes.map(\.word))
        let builtIn = vocabulary.listed.filter { !changed.contains($0.word.word) }.map(WordChange.init)
        return (builtIn + changes.filter { $0.match != nil }).sorted { $0.word < $1.word }
    }

    /// What changes would come to, at the same places. Of several for one word each is compared with what is there now.
    /// - Throws: `PostgresError`
    package func effects(of changes: [WordChange]) async throws -> [WordEffect] {
        let there = Dictionary(uniqueKeysWithValues: try await wordsInForce().map { ($0.word, $0) })
        return changes.map { change in
            let before = there[change.word]
            // Wherever it comes from: lists that overlap would else change it back and forth.
            if let before, before.saysTheSame(as: change) { return .same }
            if let word = vocabulary.lockedWord(change.word) { return .locked(word) }
            return before == nil ? .added : .changed
        }
    }

    /// Makes changes, some hundred in a transaction; every instance knows them within two seconds. To repeat them is no
    /// error. Whoever has a name already keeps it.
    /// - Parameter changes: of words that are not locked, each once.
    /// - Throws: `PostgresError`; then a part of them may have been made.
    package func putWords(_ changes: [WordChange]) async throws {
        // In one order, so that two imports don't wait for each other.
        let changes = changes.sorted { $0.word < $1.word }
        for start in stride(from: 0, to: changes.count, by: Self.wordsInTransaction) {
            let group = changes[start..<min(changes.count, start + Self.wordsInTransaction)]
            try await pool.transaction { transaction in
                transaction.runLast(CountWordsChange())
                for change in group { transaction.runLast(PutWord(change: change)) }
                try await transaction.commit()
            }
        }
        try await refreshWords()
    }

    /// Changes made in one transaction: done within a fraction of a second.
    private static let wordsInTransaction = 500

    /// Reserves a word, or changes how far it reaches; every instance knows within two seconds.
    /// Whoever has it already keeps it.
    package func addWord(_ change: WordChange) async throws -> WordOutcome {
        if let word = vocabulary.lockedWord(change.word) { return .locked(word) }
        try await putWords([change])
        return .changed
    }

    /// Takes a word off, one of those that the program carries or one that was added.
    package func removeWord(_ word: PackedASCII, actor: String, comment: String = "") async throws -> WordOutcome {
        if let word = vocabulary.lockedWord(word) { return .locked(word) }
        guard let found = words.word(word) else { return .notFound }
        let change = WordChange(
            word: word, category: found.category, match: nil, comment: comment, actor: actor)
        try await putWords([change])
        return .changed
    }
}
