import HandleRules
import HandleWords
package import Postgres

/// A fingerprint of the changes of reserved words, to detect new ones; and whether the database is read-only.
struct WordsFingerprint: Statement {
    struct Row: Sendable {
        let fingerprint: Fingerprint
        let isReadOnly: Bool
    }

    struct Fingerprint: Sendable, Equatable {
        /// Increases with every change.
        let versions: Int64
        /// Increases when a change ends by itself.
        let ended: Int64
        /// Increases with every change that this program makes.
        let version: Int64?
    }

    static let sql = """
        SELECT coalesce(sum(version), 0)::bigint, count(*) FILTER (WHERE until <= now()),
            (SELECT version FROM words_version WHERE id = 1), current_setting('transaction_read_only') = 'on'
        FROM reserved_words
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            fingerprint: Fingerprint(
                versions: try row.integer(), ended: try row.integer(), version: try row.optionalInteger()),
            isReadOnly: try row.boolean())
    }
}

/// Counts a change of the reserved words, so that no claim decided by the old words is committed. It comes first in
/// every transaction that changes words.
package struct CountWordsChange: Statement {
    package static let sql = "UPDATE words_version SET version = version + 1 WHERE id = 1"
    package init() {}
    package typealias Row = NoRow
}

/// Fails its transaction if the reserved words have changed since they were read: it divides by zero
/// (``PostgresError/isOfChangedWords``).
struct ConfirmWords: Statement {
    let version: Int64

    static let sql = "SELECT 1 / (version = $1)::int FROM words_version WHERE id = 1"

    func bind(to parameters: inout Parameters) { parameters.add(version) }

    typealias Row = NoRow
}

extension PostgresError {
    /// True if ``ConfirmWords`` has failed. No other statement divides.
    package var isOfChangedWords: Bool { sqlState == "22012" }
}

/// The changes in force, in alphabetical order.
package struct LookupWords: Statement {
    package init() {}

    package static let sql = """
        SELECT word, category, kind, source, comment, actor, nullif(until, 'infinity'), changed_at
        FROM reserved_words WHERE until IS NULL OR until > now() ORDER BY word
        """

    package static func decode(_ row: inout RowReader) throws(PostgresError) -> WordChange {
        guard let word = PackedASCII(try row.text().utf8) else {
            throw PostgresError(.unreadable, "the table of reserved words has a word that is too long")
        }
        let (category, text) = (try row.text(), try row.text())
        // A row that is left out might be a word that must be refused.
        guard let kind = WordKind(rawValue: text) else {
            throw PostgresError(
                .unknownValue, "the reserved word '\(word)' has the match '\(text)', which this program does not know")
        }
        return WordChange(
            word: word, category: category, kind: kind, source: try row.text(), comment: try row.text(),
            actor: try row.text(), until: try row.optionalDate(), changedAt: try row.date())
    }
}

/// Inserts or replaces the change of one word.
struct PutWord: Statement {
    let change: WordChange

    static let sql = """
        INSERT INTO reserved_words AS r
            (word, category, kind, source, comment, actor, changed_at, until, version)
        VALUES ($1, $2, $3, $4, $5, $6, now(), $7::timestamptz, 1)
        ON CONFLICT (word) DO UPDATE SET
            category = EXCLUDED.category, kind = EXCLUDED.kind, source = EXCLUDED.source,
            comment = EXCLUDED.comment, actor = EXCLUDED.actor, changed_at = EXCLUDED.changed_at,
            until = EXCLUDED.until, version = r.version + 1
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(change.word.description)
        parameters.add(change.category)
        parameters.add(change.kind.rawValue)
        parameters.add(change.source)
        parameters.add(change.comment)
        parameters.add(change.actor)
        parameters.add(change.until)
    }

    typealias Row = NoRow
}
