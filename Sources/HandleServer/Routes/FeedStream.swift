import HandleRegistry
import Hummingbird
import NIOConcurrencyHelpers

/// Sends the events of the feed to one reader.
struct FeedStream<C: Clock>: Sendable where C.Duration == Duration {
    let registry: Registry
    let tail: FeedTail
    let life: Duration
    let clock: C
    /// False once the stream must end, because its reader has left or has lost the right to it, or on shutdown.
    let mayGoOn: @Sendable () -> Bool
    /// The problem for an error.
    let problem: @Sendable (any Error) -> Problem

    /// Most events in one write.
    static var pageSize: Int { 500 }
    /// A write that takes longer ends the stream.
    private static var longestWrite: Duration { .seconds(5) }
    /// Time without events between two keep-alive comments, which detect broken connections.
    private static var silence: Duration { .seconds(15) }

    /// Sends the first events, and then all later ones until the stream ends.
    /// - Parameters:
    ///   - cursor: the number before the first events.
    ///   - send: writes bytes, and returns when the connection can take more.
    /// - Throws: the errors of `send`.
    func run(
        after cursor: Int64, _ first: [FeedEvent], send: ([UInt8]) async throws -> Void
    ) async throws {
        let end = clock.now.advanced(by: life)
        var (cursor, events) = (cursor, first)
        try await send(Array("retry: 2000\n\n".utf8))
        var sent = clock.now
        while true {
            if let last = events.last {
                let start = clock.now
                try await send(Self.text(of: events))
                (cursor, sent) = (last.seq, clock.now)
                guard start.duration(to: sent) <= Self.longestWrite else {
                    return try await send(Self.text(of: .slowReader))
                }
            } else if sent.duration(to: clock.now) >= Self.silence {
                try await send(Array(": nothing new\n\n".utf8))
                sent = clock.now
            }
            guard clock.now < end, mayGoOn() else { return }
            do { events = try await next(after: cursor) } catch {
                return try await send(Self.text(of: problem(error)))
            }
        }
    }

    /// The next events; none after a pause without new ones. Another database node may not show yet what the state says.
    private func next(after cursor: Int64) async throws -> [FeedEvent] {
        let state = try await tail.state()
        var events: [FeedEvent] = []
        if !state.isOn || state.seq != cursor {
            events = try await registry.events(after: cursor, limit: Self.pageSize)
        }
        if events.isEmpty { try await clock.sleep(for: FeedTail.interval) }
        return events
    }

    private static func text(of events: [FeedEvent]) -> [UInt8] {
        var bytes: [UInt8] = []
        for event in events {
            var json = JSONWriter()
            json.write(feed: event)
            bytes += Array("id: \(event.seq)\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
        }
        return bytes
    }

    private static func text(of problem: Problem) -> [UInt8] {
        Array("event: problem\ndata: ".utf8) + problem.json + Array("\n\n".utf8)
    }
}

/// The open streams of the feed.
final class FeedStreams: Sendable {
    /// Most streams of one service. Few programs read the feed.
    static let limit = 100

    let tail: FeedTail
    private let places = NIOLockedValueBox(0)

    init(_ registry: Registry) { tail = FeedTail(registry) }

    /// Number of streams.
    var count: Int { places.withLockedValue(\.self) }

    /// - Returns: a place for one stream, which is free again when it is released.
    /// - Throws: ``Problem`` 429 if there is none.
    func enter() throws(Problem) -> Place {
        let isFree = places.withLockedValue { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard isFree else { throw .tooManyFeedStreams }
        return Place(self)
    }

    /// The place of one stream.
    final class Place: Sendable {
        private let streams: FeedStreams
        private let left = NIOLockedValueBox(false)

        fileprivate init(_ streams: FeedStreams) { self.streams = streams }

        deinit { streams.places.withLockedValue { $0 -= 1 } }

        /// True if the reader has closed its side of the connection.
        var isLeft: Bool { left.withLockedValue(\.self) }

        func leave() { left.withLockedValue { $0 = true } }
    }
}

extension Problem {
    fileprivate static let slowReader = Problem(
        .slowReader,
        "The events were read too slowly; connect again with the header 'Last-Event-ID', and read without pauses.")

    fileprivate static let tooManyFeedStreams = Problem(
        .tooManyStreams,
        "The service has reached its limit of \(FeedStreams.limit) streams of the feed; close one, or try again later.",
        headers: [.retryAfter: "10"])
}
