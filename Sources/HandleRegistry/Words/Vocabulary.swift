import HandleRules
import HandleWords
import NIOConcurrencyHelpers

/// The reserved words in force: the built-in words with the changes in the database.
///
/// If the database can't be read, the last set stays; it is never empty.
final class Vocabulary: Sendable {
    private let builtIn: BuiltInWords
    /// The categories without effect.
    private let off: Set<String>
    private let state: NIOLockedValueBox<State>

    private struct State {
        var words: ReservedWords
        /// Nil before the first read of the database.
        var read: (fingerprint: WordsFingerprint.Fingerprint, confirmedAt: ContinuousClock.Instant)?
    }

    /// - Parameter off: categories without effect; see ``Policy/wordsOff``.
    init(off: Set<String>) throws(ReservedWord.ListError) {
        builtIn = try BuiltInWords()
        self.off = off
        state = NIOLockedValueBox(State(words: WordsInForce(builtIn, off: off).tables))
    }

    /// The built-in words with changes.
    /// - Parameter version: the version of the changes; nil if they are not known to be all.
    func words(with changes: [WordChange], version: Int64? = nil) -> WordsInForce {
        WordsInForce(builtIn, with: changes, version: version, off: off)
    }

    var current: ReservedWords { state.withLockedValue { $0.words } }

    /// Increases with every change in force here; nil before the first read.
    var version: Int64? { state.withLockedValue { $0.read.map { $0.fingerprint.versions + $0.fingerprint.ended } } }

    /// The words in force, and the version of the changes when they were read; nil before the first read.
    var counted: (words: ReservedWords, changes: Int64?) {
        state.withLockedValue { ($0.words, $0.read?.fingerprint.version) }
    }

    /// Time when the words were last confirmed by the database; nil before the first read.
    var confirmedAt: ContinuousClock.Instant? { state.withLockedValue { $0.read?.confirmedAt } }

    /// Notes that the words were confirmed, if the database's fingerprint is that of the words in force.
    /// - Returns: true if it is.
    func confirm(_ fingerprint: WordsFingerprint.Fingerprint, at now: ContinuousClock.Instant) -> Bool {
        state.withLockedValue { state in
            guard state.read?.fingerprint == fingerprint else { return false }
            state.read?.confirmedAt = now
            return true
        }
    }

    /// Puts the built-in words with `changes` in force.
    func apply(_ changes: [WordChange], fingerprint: WordsFingerprint.Fingerprint, at now: ContinuousClock.Instant) {
        let words = words(with: changes).tables
        state.withLockedValue { $0 = State(words: words, read: (fingerprint, now)) }
    }
}
