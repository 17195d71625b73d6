#if IdentityTokens
import HandleRegistry
import NIOConcurrencyHelpers

/// The cached keys of an issuer. They are read again periodically by ``refresh()``, and when a token names an unknown
/// key. If reading fails, the present keys stay.
///
/// Any caller can send tokens with keys that don't exist. So all waiters share one read at a time, and tokens trigger
/// at most one read in 30 seconds.
package final class IssuerKeys: Sendable {
    /// The result of looking up the key that a token names.
    enum Answer: Sendable {
        case known([IssuerKey])
        case unknown
        /// The keys have never been read.
        case notLoaded
    }

    private struct State {
        /// Nil before the first read.
        var keys: [IssuerKey]?
        /// When a token last triggered a read.
        var lastForced: ContinuousClock.Instant?
    }

    package let source: KeySource
    private let patience: Duration
    private let state = NIOLockedValueBox(State())
    private let reading = SingleFlight<Void>()

    /// The minimum time between two reads triggered by tokens.
    static let pause = Duration.seconds(30)
    /// The interval of periodic reads, which is also how long a withdrawn key may still be accepted.
    package static let refreshInterval = Duration.seconds(600)

    /// - Parameter patience: the timeout of a request to the issuer.
    package init(_ source: KeySource, patience: Duration = KeySource.timeout) {
        (self.source, self.patience) = (source, patience)
    }

    /// The number of calls so far that waited for a read, including those that triggered one.
    var joined: Int { reading.callers }

    /// The keys that may have signed a token: those with its `kid`, or the only key if it has no `kid`.
    func answer(to id: String?, _ algorithm: String, at now: ContinuousClock.Instant = .now) async -> Answer {
        var keys = state.withLockedValue(\.keys)
        if keys == nil || id.map({ id in keys?.contains { $0.id == id } == false }) ?? false {
            // After a failed read, the keys that are present are searched again.
            _ = try? await reading.run(if: { mayRead(at: now) }) { [self] in try await read() }
            keys = state.withLockedValue(\.keys)
        }
        guard let keys else { return .notLoaded }
        let named = id.map { id in keys.filter { $0.id == id } } ?? (keys.count == 1 ? keys : [])
        let fitting = named.filter { $0.algorithm == algorithm }
        return fitting.isEmpty ? .unknown : .known(fitting)
    }

    /// The number of usable keys; nil before the first read.
    package var count: Int? { state.withLockedValue(\.keys)?.count }

    /// Reads the keys now.
    /// - Throws: the reason for a failure, or `CancellationError` at once when the caller is cancelled. The present
    ///   keys stay.
    package func refresh() async throws {
        try await reading.run { [self] in try await read() }
    }

    /// True if a token may trigger a read now.
    private func mayRead(at now: ContinuousClock.Instant) -> Bool {
        state.withLockedValue { state in
            if let last = state.lastForced, now - last < Self.pause { return false }
            state.lastForced = now
            return true
        }
    }

    private func read() async throws {
        let keys = try await IssuerKey.keys(in: source.read(within: patience))
        state.withLockedValue { $0.keys = keys }
    }
}
#endif
