import Postgres

/// How far the feed was delivered to a receiver. One program at a time has the cursor: it must use it again within 30
/// seconds, or another one may take it.
package struct FeedCursor: Sendable {
    private let registry: Registry
    private let receiver: String
    /// Identifies the program.
    private let holder = Secret.random(prefix: "push_")

    /// - Parameter receiver: the name of the receiver, such as its address.
    package init(_ registry: Registry, of receiver: String) { (self.registry, self.receiver) = (registry, receiver) }

    /// How long another program waits for the cursor of one that has stopped.
    package static let lease = Duration.seconds(30)

    /// The last event that the receiver has accepted; nil for a new receiver.
    /// - Throws: `PostgresError`
    package func position() async throws -> Int64? {
        try await registry.pool.run(LookupCursor(receiver: receiver)).first
    }

    /// Takes the cursor, or keeps it for longer.
    /// - Parameters:
    ///   - position: where a new receiver begins; nil for the end of the feed.
    ///   - moved: the last event that the receiver has accepted; nil to leave the cursor where it is. Only the program
    ///     that has the cursor can move it.
    /// - Returns: the last event that the receiver has accepted; nil if another program has the cursor, or has had it
    ///   since.
    /// - Throws: `PostgresError`; repeating is safe.
    package func take(beginningAfter position: Int64? = nil, movingTo moved: Int64? = nil) async throws -> Int64? {
        let take = TakeCursor(receiver: receiver, holder: holder, seq: moved)
        if let seq = try await registry.pool.run(take).first { return seq }
        if moved != nil { return nil }
        let start = if let position { position } else { try await registry.feedState().seq }
        return try await registry.pool.run(AddCursor(receiver: receiver, holder: holder, seq: start)).first
    }

    /// Lets another program take the cursor at once.
    /// - Throws: `PostgresError`
    package func release() async throws {
        _ = try await registry.pool.run(ReleaseCursor(receiver: receiver, holder: holder))
    }
}
