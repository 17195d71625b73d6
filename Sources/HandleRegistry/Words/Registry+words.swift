import HandleRules
import Postgres

extension Registry {
    /// Reads the changes of reserved words from the database, if there are new ones.
    /// - Returns: true if other words are in force now.
    /// - Throws: `PostgresError`; the words in force stay.
    @discardableResult
    package func refreshWords() async throws -> Bool { try await writes.refreshWords() }

    /// The changes to the built-in words, additions included, in alphabetical order.
    package func wordChanges() async throws -> [WordChange] {
        try await pool.run(LookupWords())
    }

    /// The words and innocent names in force.
    /// - Throws: `PostgresError`
    package func wordsInForce() async throws -> WordsInForce {
        // The version first: a change between the two is noticed by ``putWords(_:from:)``.
        let version = try await pool.run(WordsFingerprint()).first?.fingerprint.version
        return vocabulary.words(with: try await wordChanges(), version: version)
    }

    /// Makes changes, 500 in a transaction; every instance applies them within two seconds. Owners keep the handles
    /// that they have. Safe to repeat.
    /// - Parameters:
    ///   - changes: with a new effect, of different words.
    ///   - version: the version of the words by which the changes were decided; nil to make them in any case.
    /// - Throws: `PostgresError`; a part of them may have been made. `isOfChangedWords` is true if the words have other
    ///   changes than those of the version.
    package func putWords(_ changes: [WordChange], from version: Int64? = nil) async throws {
        var version = version
        // Sorted, so that two imports don't deadlock.
        let changes = changes.sorted { $0.word < $1.word }
        for start in stride(from: 0, to: changes.count, by: Self.wordsInTransaction) {
            let group = changes[start..<min(changes.count, start + Self.wordsInTransaction)]
            try await pool.transaction { transaction in
                transaction.runLast(CountWordsChange())
                if let version { transaction.runLast(ConfirmWords(version: version + 1)) }
                for change in group { transaction.runLast(PutWord(change: change)) }
                try await transaction.commit()
            }
            version = version.map { $0 + 1 }
        }
        try await refreshWords()
    }

    /// Changes in one transaction, which takes a fraction of a second.
    private static let wordsInTransaction = 500
}
