package import HandleCore
import Postgres

/// The effect of a change of a reserved word.
package enum WordEffect: Sendable, Equatable {
    /// The word was not reserved.
    case added
    /// It was reserved with another category, match kind, comment or end.
    case changed
    case removed
    /// It was reserved, or not reserved, as wanted.
    case same
    /// The word is in the locked core and stays as it is.
    case locked(ReservedWord)
}

extension Registry {
    /// Reads the changes of reserved words from the database, if there are new ones.
    /// - Returns: true if other words are in force now.
    /// - Throws: `PostgresError`; the words in force stay.
    @discardableResult
    package func refreshWords() async throws -> Bool {
        // Taken before the query: the words may change again from then on.
        let now = ContinuousClock.now
        guard let fingerprint = try await background.run(WordsFingerprint()).first else { return false }
        if vocabulary.confirm(fingerprint, at: now) { return false }
        vocabulary.apply(try await background.run(LookupWords()), fingerprint: fingerprint, at: now)
        return true
    }

    /// The changes to the built-in words, additions included, in alphabetical order.
    package func wordChanges() async throws -> [WordChange] {
        try await pool.run(LookupWords())
    }

    /// Every word in force, in alphabetical order. The built-in words are returned as if they had been added.
    /// - Throws: `PostgresError`
    package func wordsInForce() async throws -> [WordChange] {
        let changes = try await wordChanges().filter { vocabulary.lockedWord($0.word) == nil }
        let changed = Set(changes.map(\.word))
        let builtIn = vocabulary.listed.filter { !changed.contains($0.word.word) }.map(WordChange.init)
        return (builtIn + changes.filter { $0.match != nil }).sorted { $0.word < $1.word }
    }

    /// The effects of changes, in the same order. Each is compared with the current state, even if several change one
    /// word.
    /// - Throws: `PostgresError`
    package func effects(of changes: [WordChange]) async throws -> [WordEffect] {
        let there = Dictionary(uniqueKeysWithValues: try await wordsInForce().map { ($0.word, $0) })
        return changes.map { change in
            let before = there[change.word]
            // Sources don't matter: lists that overlap would otherwise change it back and forth.
            if let before, before.saysTheSame(as: change) { return .same }
            if let word = vocabulary.lockedWord(change.word) { return .locked(word) }
            return before == nil ? .added : .changed
        }
    }

    /// Makes changes, 500 in a transaction; every instance applies them within two seconds. Owners keep the handles
    /// that they have. Safe to repeat.
    /// - Parameter changes: of words that are not locked, each once.
    /// - Throws: `PostgresError`; a part of them may have been made.
    package func putWords(_ changes: [WordChange]) async throws {
        // Sorted, so that two imports don't deadlock.
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

    /// Changes in one transaction, which takes a fraction of a second.
    private static let wordsInTransaction = 500

    /// Removes a word, built in or added; every instance applies it within two seconds.
    /// - Throws: `PostgresError`
    package func removeWord(_ word: PackedASCII, actor: String, comment: String = "") async throws -> WordEffect {
        if let word = vocabulary.lockedWord(word) { return .locked(word) }
        guard let found = words.word(word) else { return .same }
        let change = WordChange(
            word: word, category: found.category, match: nil, comment: comment, actor: actor)
        try await putWords([change])
        return .removed
    }
}
