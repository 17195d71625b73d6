import NIOConcurrencyHelpers

import struct FoundationEssentials.Date

/// Cache of valid identity tokens, so that a call counts against its person's quota without another verification. An
/// entry gives no rights: a call that needs its caller verifies the token again.
///
/// Only valid tokens are stored, and memory is bounded. When the cache is full, the tokens that were not used lately
/// are removed.
final class SeenTokens: Sendable {
    private struct State {
        /// By the hash of the token.
        var recent: [[UInt8]: Person] = [:]
        var before: [[UInt8]: Person] = [:]
    }

    private let capacity: Int
    private let state = NIOLockedValueBox(State())

    /// - Parameter remembered: maximum number of tokens in memory.
    init(remembered: Int = 20_000) { capacity = max(1, remembered / 2) }

    /// The person of a token; nil when the token is unknown or has expired.
    func person(_ hash: [UInt8], at now: Date) -> Person? {
        state.withLockedValue { state in
            if let person = state.recent[hash] { return now < person.end ? person : nil }
            guard let person = state.before[hash], now < person.end else { return nil }
            note(person, hash, &state)
            return person
        }
    }

    func note(_ person: Person, _ hash: [UInt8]) { state.withLockedValue { note(person, hash, &$0) } }

    /// Number of tokens in memory.
    var remembered: Int { state.withLockedValue { $0.recent.count + $0.before.count } }

    private func note(_ person: Person, _ hash: [UInt8], _ state: inout State) {
        if state.recent.count >= capacity { (state.before, state.recent) = (state.recent, [:]) }
        state.recent[hash] = person
    }
}
