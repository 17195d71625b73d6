import NIOConcurrencyHelpers

/// All keys in force, in memory, so that no request asks the database about its key. ``Registry/refreshKeys()`` brings it
/// up to date; when the database can't be read, the last good set stays, but no longer than a bound: a key may have been
/// revoked meanwhile.
///
/// A key is found by its hash. How long that takes may tell how much of a hash is right, and nobody can choose a key by
/// its hash, so it helps nobody to find one.
package final class KeyRing: Sendable {
    /// What is known of what somebody shows for a key.
    package enum Answer: Sendable, Equatable {
        case known(KeyHolder)
        /// Mistyped, never made, ended or revoked.
        case unknown
        /// It may be one, but the keys have not been read yet, or could not be confirmed for too long.
        case notLoaded
    }

    private struct State {
        var keys: [[UInt8]: KeyInForce] = [:]
        /// Nil before the keys have been read.
        var read: (fingerprint: KeysFingerprint.Row, confirmedAt: ContinuousClock.Instant)?
        /// The ids of keys that were shown since that was last written down.
        var uses: Set<String> = []
    }

    private let longestUnconfirmed: Duration?
    private let state = NIOLockedValueBox(State())

    /// - Parameter longestUnconfirmed: how long keys stay in force that could not be confirmed; nil for as long as it takes.
    init(longestUnconfirmed: Duration? = nil) { self.longestUnconfirmed = longestUnconfirmed }

    /// How long ago the keys were last known to be those in force; nil before they were read.
    package func age(at now: ContinuousClock.Instant = .now) -> Duration? {
        state.withLockedValue { $0.read.map { $0.confirmedAt.duration(to: now) } }
    }

    /// Whose key a text is at the time `now`.
    package func answer(to text: String, at now: ContinuousClock.Instant = .now) -> Answer {
        guard let hash = AccessKey(text)?.hash else { return .unknown }
        return state.withLockedValue { state in
            guard let read = state.read else { return .notLoaded }
            if let longestUnconfirmed, read.confirmedAt.duration(to: now) > longestUnconfirmed { return .notLoaded }
            guard let key = state.keys[hash], key.end.map({ now < $0 }) ?? true else { return .unknown }
            state.uses.insert(key.holder.id)
            return .known(key.holder)
        }
    }

    /// Notes that the database had this fingerprint at a time, if it is that of the keys in force.
    /// - Returns: whether it is.
    func confirm(_ fingerprint: KeysFingerprint.Row, at now: ContinuousClock.Instant) -> Bool {
        state.withLockedValue { state in
            guard state.read?.fingerprint == fingerprint else { return false }
            state.read?.confirmedAt = now
            return true
        }
    }

    /// Puts keys in force, and takes all others out of it.
    func apply(_ keys: [KeyInForce], fingerprint: KeysFingerprint.Row, at now: ContinuousClock.Instant) {
        let keys = Dictionary(keys.map { ($0.hash, $0) }) { first, _ in first }
        state.withLockedValue { ($0.keys, $0.read) = (keys, (fingerprint, now)) }
    }

    /// Hands over the ids of keys that were shown, to be written down.
    func takeUses() -> Set<String> {
        state.withLockedValue { state in
            defer { state.uses = [] }
            return state.uses
        }
    }

    /// Takes back what could not be written down.
    func giveBack(_ uses: Set<String>) { state.withLockedValue { $0.uses.formUnion(uses) } }
}

/// A key as it is in memory.
struct KeyInForce: Sendable {
    let hash: [UInt8]
    let holder: KeyHolder
    /// When it ends, by the database's clock, carried over to that of this process.
    let end: ContinuousClock.Instant?
}
