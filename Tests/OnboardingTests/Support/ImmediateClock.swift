import NIOConcurrencyHelpers

/// A clock on which a sleep takes no time: it only advances the clock.
final class ImmediateClock: Clock {
    struct Instant: InstantProtocol {
        let offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = NIOLockedValueBox(Instant(offset: .zero))

    var now: Instant { time.withLockedValue(\.self) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLockedValue { $0 = max($0, deadline) }
        await Task.yield()
    }
}
