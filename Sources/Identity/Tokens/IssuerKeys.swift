#if IdentityTokens
import NIOConcurrencyHelpers

/// The keys of an issuer, in memory. They are read again by ``refresh()`` now and then, and when a token names a key that
/// is not known; what can't be read leaves the keys that there are.
///
/// Anybody can name keys that don't exist. So one reading at a time serves all who wait for one, and tokens cause one in
/// 30 seconds at most.
package final class IssuerKeys: Sendable {
    /// What is known of the key that a token names.
    enum Answer: Sendable {
        case known([IssuerKey])
        case unknown
        /// The keys have never been read.
        case notLoaded
    }

    private struct State {
        /// Nil before they have been read.
        var keys: [IssuerKey]?
        var stamp: FileStamp?
        /// The reading that is on its way. It belongs to nobody who waits for it: who gives up does not end it for others.
        var reading: Task<Void, any Error>?
        /// How many have waited for a reading so far.
        var joined = 0
        /// When a token last caused a reading.
        var lastForced: ContinuousClock.Instant?
    }

    package let source: KeySource
    private let patience: Duration
    private let state = NIOLockedValueBox(State())

    /// How long after a reading that a token caused another token may cause one.
    static let pause = Duration.seconds(30)
    /// How often the keys are read again anyway; it is also how long a key that was withdrawn may go on to count.
    package static let refreshInterval = Duration.seconds(600)

    /// - Parameter patience: how long an issuer may take to answer.
    package init(_ source: KeySource, patience: Duration = KeySource.timeout) {
        (self.source, self.patience) = (source, patience)
    }

    /// How many have waited for a reading so far, each for one that was on its way or that they have caused.
    var joined: Int { state.withLockedValue(\.joined) }

    /// The keys that a token may have been signed with: those of its `kid`, or the only one when it has none.
    func answer(to id: String?, _ algorithm: String, at now: ContinuousClock.Instant = .now) async -> Answer {
        var keys = state.withLockedValue(\.keys)
        if keys == nil || id.map({ id in keys?.contains { $0.id == id } == false }) ?? false {
            // A failure leaves what there is, which is looked at once more.
            if let reading = reading(forcedAt: now) { try? await Self.end(of: reading) }
            keys = state.withLockedValue(\.keys)
        }
        guard let keys else { return .notLoaded }
        let named = id.map { id in keys.filter { $0.id == id } } ?? (keys.count == 1 ? keys : [])
        let fitting = named.filter { $0.algorithm == algorithm }
        return fitting.isEmpty ? .unknown : .known(fitting)
    }

    /// How many there are that can check signatures; nil before they have been read.
    package var count: Int? { state.withLockedValue(\.keys)?.count }

    /// Reads the keys now.
    /// - Throws: why that was not possible, or `CancellationError` at once when the caller is cancelled; the keys that there
    ///   are stay.
    package func refresh() async throws {
        if let reading = reading(forcedAt: nil) { try await Self.end(of: reading) }
    }

    /// Waits until a reading has ended, or the caller is cancelled: to await a task's value ends with the task alone.
    private static func end(of reading: Task<Void, any Error>) async throws {
        let (signal, announcement) = AsyncStream<Never>.makeStream()
        Task {
            _ = await reading.result
            announcement.finish()
        }
        for await _ in signal {}
        try Task.checkCancellation()
        try await reading.value
    }

    /// The reading that is on its way, or a new one; nil when a token may not cause one yet.
    /// - Parameter now: when a token causes it, or nil for one that may always begin.
    private func reading(forcedAt now: ContinuousClock.Instant?) -> Task<Void, any Error>? {
        state.withLockedValue { state in
            if let reading = state.reading {
                state.joined += 1
                return reading
            }
            if let now {
                if let last = state.lastForced, now - last < Self.pause { return nil }
                state.lastForced = now
            }
            let stamp = state.stamp
            let reading = Task { [self] in
                defer { self.state.withLockedValue { $0.reading = nil } }
                guard let (set, stamp) = try await source.read(unless: stamp, within: patience) else { return }
                let keys = try await IssuerKey.keys(in: set)
                self.state.withLockedValue { ($0.keys, $0.stamp) = (keys, stamp) }
            }
            state.reading = reading
            state.joined += 1
            return reading
        }
    }
}
#endif
