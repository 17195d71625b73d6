import Identity
import NIOConcurrencyHelpers

import struct FoundationEssentials.Date

/// The identity tokens that were good when they were checked, so that a call is counted for its person without the token
/// being checked for that again. They give no rights: whatever a call may do is decided by a check of its own.
///
/// Only good tokens get in, and memory is bounded: when there are too many, those that were not shown lately are forgotten.
final class SeenTokens: Sendable {
    private struct State {
        /// By the hash of the token.
        var recent: [[UInt8]: Person] = [:]
        var before: [[UInt8]: Person] = [:]
    }

    private let capacity: Int
    private let state = NIOLockedValueBox(State())

    /// - Parameter remembered: tokens that are remembered at most.
    init(remembered: Int = 20_000) { capacity = max(1, remembered / 2) }

    /// The person of a token; nil when the token is not known, or has ended.
    func person(_ hash: [UInt8], at now: Date) -> Person? {
        state.withLockedValue { state in
            if let person = state.recent[hash] { return now < person.end ? person : nil }
            guard let person = state.before[hash], now < person.end else { return nil }
            note(person, hash, &state)
            return person
        }
    }

    func note(_ person: Person, _ hash: [UInt8]) { state.withLockedValue { note(person, hash, &$0) } }

    /// Tokens that are remembered now.
    var remembered: Int { state.withLockedValue { $0.recent.count + $0.before.count } }

    private func note(_ person: Person, _ hash: [UInt8], _ state: inout State) {
        if state.recent.count >= capacity { (state.before, state.recent) = (state.recent, [:]) }
        state.recent[hash] = person
    }
}
