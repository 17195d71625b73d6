import HandleRegistry
import Logging
import Postgres

/// Delivers the feed to a receiver: every event at least once and in order, as long as the task is not cancelled.
///
/// It has the receiver's cursor, which it renews long before another program could take it. The position is stored when
/// all events are delivered, and once a second before that. So a program that is killed repeats at most the events of a
/// second.
struct WebhookDelivery {
    private let registry: Registry
    private let tail: FeedTail
    private let cursor: FeedCursor
    private let receiver: WebhookReceiver
    private let names: Names
    private let backOff: BackOff
    private let note: @Sendable (String, Logger.Level) -> Void
    private var generator = SystemRandomNumberGenerator()

    /// The last event that the receiver has accepted.
    private var accepted: Int64
    /// The last one that is stored.
    private var stored: Int64
    /// When the cursor was taken or renewed.
    private var keptAt: ContinuousClock.Instant
    /// Since when the receiver accepts nothing, once that was said.
    private var awaySince: ContinuousClock.Instant?

    /// The names in messages.
    struct Names: Sendable {
        /// The address.
        let address: String
        /// The name of the cursor.
        let cursor: String
    }

    private static let pageSize = 200
    /// Age at which the position is stored.
    private static let storing = Duration.seconds(1)
    /// Age at which the cursor is renewed. With an attempt of 20 seconds after it, the lease of 30 is not over.
    private static let renewal = Duration.seconds(5)
    /// Failures in a row before the receiver counts as away.
    private static let patience = 3
    private static let databasePause = BackOff(first: .milliseconds(500), longest: .seconds(5))

    /// Takes the cursor and delivers.
    /// - Parameters:
    ///   - position: where a new receiver begins; nil for the end of the feed.
    ///   - note: gets messages for the user.
    /// - Throws: ``CommandFault``, `PostgresError`, `CancellationError`. It ends in no other way. The cursor is released
    ///   then.
    static func run(
        _ registry: Registry, to receiver: WebhookReceiver, _ names: Names, beginningAfter position: Int64?,
        _ backOff: BackOff = BackOff(), note: @escaping @Sendable (String, Logger.Level) -> Void
    ) async throws -> Never {
        let cursor = FeedCursor(registry, of: names.cursor)
        let began = ContinuousClock.now
        let accepted = try await cursor.begin(after: position, in: registry, names)
        var delivery = WebhookDelivery(
            registry: registry, tail: FeedTail(registry), cursor: cursor, receiver: receiver, names: names,
            backOff: backOff, note: note, accepted: accepted, stored: accepted, keptAt: began)
        do {
            try await delivery.deliverAll()
        } catch {
            await delivery.end()
            throw error
        }
    }

    private mutating func deliverAll() async throws -> Never {
        var hasBegun = false
        while true {
            let (registry, after) = (registry, accepted)
            switch try await throughFaults({ try await registry.feed(after: after, limit: Self.pageSize) }) {
            case .off: throw WebhookFault.off
            case .expired(let state): throw WebhookFault.expired(after, state, names)
            case .events(let events):
                if !hasBegun { note("delivering to \(names.address), after event \(after)", .notice) }
                hasBegun = true
                for event in events { try await deliver(event) }
                if accepted != stored { try await keep() }
                if events.isEmpty { try await waitForEvents() }
            }
        }
    }

    private mutating func waitForEvents() async throws {
        let tail = tail
        var state: FeedState
        repeat {
            try await pause(FeedTail.interval)
            state = try await throughFaults { try await tail.state() }
        } while state.isOn && state.seq == accepted
    }

    /// Sends an event until the receiver accepts it.
    private mutating func deliver(_ event: FeedEvent) async throws {
        let message = WebhookMessage(event)
        var failures = 0
        while true {
            try await keep(after: Self.renewal)
            let reply = await receiver.send(message)
            if reply == .accepted { accepted = event.seq }
            try Task.checkCancellation()
            switch reply {
            case .accepted:
                if let since = awaySince {
                    let seconds = since.duration(to: .now).components.seconds
                    note("\(names.address) is back after \(seconds) s; delivering after event \(accepted)", .notice)
                    awaySince = nil
                }
                return try await keep(after: Self.storing)
            case .gone: throw WebhookFault.gone(names, event.seq)
            case .failed(let what, let asked):
                failures += 1
                if failures == Self.patience, awaySince == nil {
                    awaySince = .now
                    note("\(names.address) does not accept event \(event.seq): \(what); trying until it does", .warning)
                }
                try await pause(backOff.pause(afterFailures: failures, asked: asked, using: &generator))
            }
        }
    }

    /// Waits, and keeps the cursor meanwhile.
    private mutating func pause(_ duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {
            try await ContinuousClock().sleep(until: min(end, .now + Self.renewal))
            try await keep(after: Self.renewal)
        }
    }

    private mutating func keep(after age: Duration) async throws {
        if keptAt.duration(to: .now) >= age { try await keep() }
    }

    /// Stores the position and renews the cursor.
    private mutating func keep() async throws {
        let (cursor, accepted, now) = (cursor, accepted, ContinuousClock.now)
        guard try await throughFaults({ try await cursor.take(movingTo: accepted) }) != nil else {
            throw WebhookFault.lost(names)
        }
        (stored, keptAt) = (accepted, now)
    }

    /// Repeats work on the database until the database can be used.
    private func throughFaults<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        var (failures, generator) = (0, generator)
        while true {
            do {
                let result = try await body()
                if failures > 0 { note("the database is back", .notice) }
                return result
            } catch let error as PostgresError where error.isTransient {
                try Task.checkCancellation()
                failures += 1
                if failures == 1 { note("waiting for the database (\(error))", .warning) }
                let pause = Self.databasePause.pause(afterFailures: failures, using: &generator)
                try await ContinuousClock().sleep(for: pause)
            }
        }
    }

    /// Stores the position and lets another program deliver at once. After a signal too, so it runs in a task of its own.
    private func end() async {
        await Task { [cursor, accepted] in
            // Without the database, or without the cursor, there is nothing to do.
            _ = try? await cursor.take(movingTo: accepted)
            try? await cursor.release()
        }.value
    }
}

extension FeedCursor {
    /// Takes the cursor, if the feed has the events after it.
    /// - Parameter position: where a new receiver begins; nil for the end of the feed.
    /// - Returns: the last event that the receiver has accepted.
    fileprivate func begin(
        after position: Int64?, in registry: Registry, _ names: WebhookDelivery.Names
    ) async throws -> Int64 {
        let state = try await registry.feedState()
        guard state.isOn else { throw WebhookFault.off }
        if let position {
            if let present = try await self.position() { throw WebhookFault.known(names, present) }
            guard position <= state.seq else { throw WebhookFault.future(position, state) }
            guard state.has(after: position) else { throw WebhookFault.expired(position, state, names, isNew: true) }
        }
        guard let accepted = try await take(beginningAfter: position) else { throw WebhookFault.held(names) }
        return accepted
    }
}
