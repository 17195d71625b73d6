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
    private let state: NIOLockedValueBox<State>

    private struct State {
        var words: ReservedWords
        /// Nil before the database was read.
        var read: (fingerprint: WordsFingerprint.Row, confirmedAt: ContinuousClock.Instant)?
    }

    init() throws(ReservedWord.ListError) {
        listed = try ListedWord.list(parsing: Seeds.reservedWords)
        builtIn = listed.map(\.word)
        innocent = try ReservedWord.names(parsing: Seeds.innocentNames)
        state = NIOLockedValueBox(State(words: ReservedWords(builtIn, innocent: innocent)))
    }

    var current: ReservedWords { state.withLockedValue { $0.words } }

    /// Grows with every change that is in force here; nil before they were read.
    var version: Int64? { state.withLockedValue { $0.read.map { $0.fingerprint.versions + $0.fingerprint.ended } } }

    /// The words in force, and how often they had been changed when they were read, if they were.
    var counted: (words: ReservedWords, changes: Int64?) {
        state.withLockedValue { ($0.words, $0.read?.fingerprint.version) }
    }

    /// When the words in force were last known to be those of the database; nil before it was read.
    var confirmedAt: ContinuousClock.Instant? { state.withLockedValue { $0.read?.confirmedAt } }

    /// Notes that the database had this fingerprint at a time, if it is that of the words in force.
    /// - Returns: whether it is.
    func confirm(_ fingerprint: WordsFingerprint.Row, at now: ContinuousClock.Instant) -> Bool {
        state.withLockedValue { state in
            guard state.read?.fingerprint == fingerprint else { return false }
            state.read?.confirmedAt = now
            return true
        }
    }

    /// Puts the words in force that result from `changes`.
    func apply(_ changes: [WordChange], fingerprint: WordsFingerprint.Row, at now: ContinuousClock.Instant) {
        let words = ReservedWords(Self.merge(builtIn, changes), innocent: innocent)
        state.withLockedValue { $0 = State(words: words, read: (fingerprint, now)) }
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
