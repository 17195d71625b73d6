import Postgres

/// The state of the feed for readers that wait for its next events. However many they are, it is read a few times a second.
package actor FeedTail {
    /// How often a reader asks whether there are new events.
    package static let interval = Duration.milliseconds(200)

    private let registry: Registry
    private let reads = SingleFlight<FeedState>()
    private var last: (state: FeedState, readAt: ContinuousClock.Instant)?

    package init(_ registry: Registry) { self.registry = registry }

    /// - Throws: `PostgresError`
    package func state() async throws -> FeedState {
        if let last, last.readAt.duration(to: .now) < Self.interval / 2 { return last.state }
        let now = ContinuousClock.now
        let state = try await reads.run { [registry] in try await registry.feedState() }
        last = (state, now)
        return state
    }
}
