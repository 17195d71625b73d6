import TestSupport

@testable import HandleRegistry

/// A registry with a feed that is on.
func registryWithFeed(policy: Policy = .unlimited) async throws -> Registry {
    let registry = try await freshRegistry(policy: policy)
    try await registry.keepFeed(for: .seconds(86_400))
    return registry
}

extension Registry {
    /// All events after a number.
    func events(after cursor: Int64 = 0, pageSize: Int = 1000) async throws -> [FeedEvent] {
        var events: [FeedEvent] = []
        while true {
            guard case .events(let page) = try await feed(after: events.last?.seq ?? cursor, limit: pageSize) else {
                throw FeedEnded()
            }
            if page.isEmpty { return events }
            events += page
        }
    }

    /// Numbers all changes that are there, as the service would, and returns the events after a number.
    func numberedEvents(after cursor: Int64 = 0) async throws -> [FeedEvent] {
        _ = try await FeedLeader(self, lasting: .zero).round()
        return try await events(after: cursor)
    }

    /// True if the feed does not have every event after a number.
    func cursorIsExpired(after cursor: Int64) async throws -> Bool {
        if case .expired = try await feed(after: cursor, limit: 1) { true } else { false }
    }
}

private struct FeedEnded: Error {}

extension [FeedEvent] {
    /// `name action`, in order.
    var words: [String] { map { "\($0.event.handle) \($0.event.action.rawValue)" } }
}
