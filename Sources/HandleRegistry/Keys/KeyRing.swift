import NIOConcurrencyHelpers

/// All keys in force, in memory, so that a request needs no query for its key. ``KeyStore/refresh()`` updates them.
/// If the database can't be read, the last set stays in force for a limited time only: a key may have been revoked
/// meanwhile.
///
/// Keys are looked up by hash. The time of a look-up may reveal how much of a hash matches, but a caller can't choose a
/// key by its hash, so this does not help to find one.
package final class KeyRing: Sendable {
    /// Result of looking up a text that a caller sent as a key.
    package enum Answer: Sendable, Equatable {
        case known(KeyHolder)
        /// Mistyped, never made, ended or revoked.
        case unknown
        /// It was a key when the keys were last read, too long ago to rely on: it may have been revoked since.
        case unconfirmed(KeyHolder)
        /// It may be a key, but the keys have not been read yet, or not for very long.
        case notLoaded
    }

    private struct State {
        var keys: [[UInt8]: KeyInForce] = [:]
        /// Nil before the keys were read.
        var read: (fingerprint: KeysFingerprint.Row, at: ContinuousClock.Instant, confirmedAt: ContinuousClock.Instant)?
        /// Ids of keys used since the uses were last written.
        var uses: Set<String> = []
    }

    /// How long a key is ``Answer/unconfirmed(_:)`` after it was last confirmed.
    package static let longestRemembered = Duration.seconds(86_400)

    private let longestUnconfirmed: Duration?
    private let state = NIOLockedValueBox(State())

    /// - Parameter longestUnconfirmed: how long keys stay in force without confirmation; nil for no limit.
    package init(longestUnconfirmed: Duration? = nil) { self.longestUnconfirmed = longestUnconfirmed }

    /// Time since the keys were last confirmed; nil before they were read.
    package func age(at now: ContinuousClock.Instant = .now) -> Duration? {
        state.withLockedValue { $0.read.map { $0.confirmedAt.duration(to: now) } }
    }

    /// The holder of the key `text` at the time `now`.
    package func answer(to text: String, at now: ContinuousClock.Instant = .now) -> Answer {
        guard let hash = AccessKey(text)?.hash else { return .unknown }
        return state.withLockedValue { state in
            guard let read = state.read else { return .notLoaded }
            let isConfirmed = longestUnconfirmed.map { read.confirmedAt.duration(to: now) <= $0 } ?? true
            guard let key = state.keys[hash], key.rest.map({ now < read.at + $0 }) ?? true else {
                return isConfirmed ? .unknown : .notLoaded
            }
            if !isConfirmed, read.confirmedAt.duration(to: now) > Self.longestRemembered { return .notLoaded }
            state.uses.insert(key.holder.id)
            return isConfirmed ? .known(key.holder) : .unconfirmed(key.holder)
        }
    }

    /// Notes that the keys were confirmed, if the database's fingerprint is that of the keys in force.
    /// - Returns: true if it is.
    func confirm(_ fingerprint: KeysFingerprint.Row, at now: ContinuousClock.Instant) -> Bool {
        state.withLockedValue { state in
            guard state.read?.fingerprint == fingerprint else { return false }
            state.read?.confirmedAt = now
            return true
        }
    }

    /// Replaces all keys in force.
    /// - Parameter confirmedAt: the moment just before the fingerprint was read.
    func apply(
        _ keys: [KeyInForce], readAt: ContinuousClock.Instant, fingerprint: KeysFingerprint.Row,
        confirmedAt: ContinuousClock.Instant
    ) {
        let keys = Dictionary(keys.map { ($0.hash, $0) }) { first, _ in first }
        state.withLockedValue { ($0.keys, $0.read) = (keys, (fingerprint, readAt, confirmedAt)) }
    }

    /// Removes and returns the ids of used keys, to be written.
    func takeUses() -> Set<String> {
        state.withLockedValue { state in
            defer { state.uses = [] }
            return state.uses
        }
    }

    /// Puts back ids that could not be written.
    func giveBack(_ uses: Set<String>) { state.withLockedValue { $0.uses.formUnion(uses) } }
}

/// A key in memory.
struct KeyInForce: Sendable {
    let hash: [UInt8]
    let holder: KeyHolder
    /// The time left when the key was read; nil if it has no end.
    let rest: Duration?
}
