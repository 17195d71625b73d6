import Postgres

import struct FoundationEssentials.Date

/// Numbers the changes of the registry, in the order in which they became visible.
///
/// One service does so at a time. A number is given after the commit of its change, so a change that commits late gets a
/// late number, and no reader skips it. The others wait until the one has stopped for some seconds.
package actor FeedLeader {
    /// The result of a round.
    package enum Round: Sendable, Equatable {
        /// The feed is off.
        case off
        /// Another service numbers the changes.
        case follows
        /// There was nothing to number.
        case idle
        /// So many changes were numbered.
        case numbered(Int)
    }

    private let registry: Registry
    /// Identifies the service.
    private let name: String
    private let clock = ContinuousClock()
    private var leaseTaken: ContinuousClock.Instant?

    private let lease: Duration
    /// Changes numbered in one transaction, but for those at the same moment.
    package static let numberedAtOnce = 2000

    /// - Parameter lease: how long other services wait after the last round of this one.
    package init(_ registry: Registry, lasting lease: Duration = .seconds(3)) {
        self.registry = registry
        self.lease = lease
        name = Secret.random(prefix: "service_")
    }

    /// Numbers the changes that are there.
    /// - Throws: `PostgresError`; repeating is safe.
    package func round() async throws -> Round {
        let (times, leads) = try await registry.background.run(
            pipeline: OutboxTimes(limit: Self.numberedAtOnce), LookupLead(leader: name))
        guard let lead = leads.first, lead.state.isOn else { return .off }
        guard lead.mayLead else {
            leaseTaken = nil
            return .follows
        }
        let now = clock.now
        let isLeaseFresh = leaseTaken.map { now - $0 < lease / 3 } ?? false
        if times.isEmpty, isLeaseFresh { return .idle }
        guard let count = try await number(upTo: times.last) else { return .follows }
        leaseTaken = now
        return count == 0 ? .idle : .numbered(count)
    }

    /// - Returns: the number of changes; nil if another service numbers them.
    private func number(upTo end: Date?) async throws -> Int? {
        try await registry.background.transaction { [name, lease] transaction in
            guard var state = try await transaction.run(TakeLead(leader: name, lease: lease)).first else {
                try await transaction.rollBack()
                return nil
            }
            var rows: [OutboxRow] = []
            if let end { rows = try await transaction.run(TakeFromOutbox(end: end)) }
            if !rows.isEmpty {
                rows.sort { ($0.at, $0.handle, $0.version) < ($1.at, $1.handle, $1.version) }
                transaction.runLast(AppendToFeed(first: state.seq + 1, rows: rows))
                state.seq += Int64(rows.count)
                transaction.runLast(PutFeed(state: state))
            }
            try await transaction.commit()
            return rows.count
        }
    }
}
