import HandleRegistry
import TestSupport

/// A registry with a feed, and the leader that numbers the changes. In a test no service does so: it calls
/// ``FeedLeader/round()``.
func registryWithFeed() async throws -> (Registry, FeedLeader) {
    let registry = try await freshRegistry()
    try await registry.keepFeed(for: .seconds(3600))
    return (registry, FeedLeader(registry))
}
