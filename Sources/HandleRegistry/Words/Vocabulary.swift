package import HandleCore
import NIOConcurrencyHelpers
import Seeds

/// The reserved words in force: those that the binary carries, and what the database changes about them.
///
/// When the database can't be read, the last good set stays; there is never an empty one.
final class Vocabulary: Sendable {
    /// Those that the binary carries, with their comments.
    let listed: [ListedWord]
    private let builtIn: [ReservedWord]
    private let innocent: [PackedASCII]
    private let state: NIOLockedValueBox<(words: ReservedWords, fingerprint: WordsFingerprint.Row?)>

    init() throws(ReservedWord.ListError) {
        listed = try ListedWord.list(parsing: Seeds.reservedWords)
        builtIn = listed.map(\.word)
        innocent = try ReservedWord.names(parsing: Seeds.innocentNames)
        state = NIOLockedValueBox((ReservedWords(builtIn, innocent: innocent), nil))
    }

    var current: ReservedWords { state.withLockedValue { $0.words } }

    /// Grows with every change that is in force here; nil before they were read.
    var version: Int64? { state.withLockedValue { $0.fingerprint.map { $0.versions + $0.ended } } }

    func isCurrent(_ fingerprint: WordsFingerprint.Row) -> Bool {
        state.withLockedValue { $0.fingerprint == fingerprint }
    }

    /// Puts the words in force that result from `changes`.
    func apply(_ changes: [WordChange], fingerprint: WordsFingerprint.Row) {
        let words = ReservedWords(Self.merge(builtIn, changes), innocent: innocent)
        state.withLockedValue { $0 = (words, fingerprint) }
    }

    /// Some words by themselves, as they would be in force.
    func alone(_ words: [ReservedWord]) -> ReservedWords { ReservedWords(words, innocent: innocent) }

    func lockedWord(_ word: PackedASCII) -> ReservedWord? {
        builtIn.first { $0.word == word && $0.isLocked }
    }

    /// The built-in words with the changes made: the locked ones as they are, whatever the changes say.
    static func merge(_ builtIn: [ReservedWord], _ changes: [WordChange]) -> [ReservedWord] {
        let locked = Set(builtIn.filter(\.isLocked).map(\.word))
        let changes = changes.filter { !locked.contains($0.word) }
        let changed = Set(changes.map(\.word))
        let added = changes.compactMap { change in
            change.reservedWord
        }
        return builtIn.filter { !changed.contains($0.word) } + added
    }
}

extension ReservedWords {
    /// The words that the binary carries.
    package static func builtIn() throws(ReservedWord.ListError) -> ReservedWords {
        try Vocabulary().current
    }
}
