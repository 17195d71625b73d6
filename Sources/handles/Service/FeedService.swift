import HandleRegistry
import Logging
import ServiceLifecycle

/// Numbers the changes for the feed while it is on, unless another service does, and deletes what it no longer keeps.
struct FeedService: Service {
    let registry: Registry
    /// How long the feed keeps its events; nil for as long as is stored in the database.
    let kept: Duration?
    let logger: Logger

    /// Between two rounds. A change is in the feed after this time at the latest.
    private static let pause = Duration.milliseconds(200)
    /// Until another service's numbers are looked at again, after a failure too.
    private static let longPause = Duration.seconds(1)
    private static let pauseBetweenDeletions = Duration.seconds(60)
    /// Failures in a row until a warning.
    private static let alarm = 5

    func run() async throws {
        await cancelWhenGracefulShutdown {
            let leader = FeedLeader(registry)
            var isSet = kept == nil
            var failures = 0
            var nextDeletion = ContinuousClock.now
            while !Task.isCancelled {
                var pause = Self.longPause
                do {
                    if !isSet { try await set() }
                    isSet = true
                    pause = Self.pause(after: try await leader.round())
                    failures = 0
                    if pause < Self.longPause, ContinuousClock.now > nextDeletion {
                        try await registry.trimFeed()
                        nextDeletion = .now + Self.pauseBetweenDeletions
                    }
                } catch {
                    if Task.isCancelled { return }
                    failures += 1
                    logger.log(
                        level: failures.isMultiple(of: Self.alarm) ? .warning : .debug, "the feed can't be written",
                        metadata: ["error": "\(error)"])
                }
                // A shutdown interrupts the sleep; the loop condition notices it.
                try? await ContinuousClock().sleep(for: pause)
            }
        }
    }

    private func set() async throws {
        guard let kept else { return }
        let before = try await registry.keepFeed(for: kept)
        guard before.kept != kept else { return }
        let (old, new) = (Self.text(before.kept), Self.text(kept))
        logger.notice("how long the feed keeps its events has changed", metadata: ["from": "\(old)", "to": "\(new)"])
    }

    private static func text(_ kept: Duration) -> String { kept == .zero ? "off" : DurationText.text(kept) }

    private static func pause(after round: FeedLeader.Round) -> Duration {
        switch round {
        case .off, .follows: longPause
        case .numbered(let count) where count >= FeedLeader.numberedAtOnce: .zero
        case .idle, .numbered: pause
        }
    }
}
