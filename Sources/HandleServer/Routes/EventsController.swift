import HandleRegistry
import Hummingbird
import ServiceLifecycle

/// `/v1/events`: the changes of all names, in the order in which they became visible.
struct EventsController: Sendable {
    let registry: Registry
    let streams: FeedStreams
    /// Lifetime of a stream. Clients then reconnect by themselves, so connections spread over all instances.
    let life: Duration

    /// The largest number is the largest integer that every JSON parser reads exactly.
    private static let numbers = 0...9_007_199_254_740_991
    private static let pageSizes = 1...1000

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, RouterPath(CallPath.events), for: .holders(of: .feed)) { request, _, _ in
            try await list(request)
        }
        routes.add(.get, "\(CallPath.events)/stream", for: .holders(of: .feed)) { try await stream($0, $1, $2) }
    }

    /// The events after a number, one a line.
    private func list(_ request: Request) async throws -> Response {
        let query = try Query(request)
        try query.refuseOthers(than: ["after", "limit"])
        let cursor = try query.integer("after", in: Self.numbers) ?? 0
        let limit = try query.integer("limit", in: Self.pageSizes) ?? Self.pageSizes.upperBound
        let events = try await registry.events(after: Int64(cursor), limit: limit)
        var json = JSONWriter(reservingCapacity: 256 * events.count)
        for event in events {
            json.write(feed: event)
            json.newLine()
        }
        let headers: HTTPFields = [.contentType: "application/x-ndjson", .cacheControl: "no-store"]
        return Response(Response.Plain(status: .ok, headers: headers, body: json.bytes))
    }

    /// The events after a number as server-sent events, and each later one. An error before the first becomes a normal
    /// response.
    private func stream(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let query = try Query(request)
        try query.refuseOthers(than: ["after"])
        let after = try query.integer("after", in: Self.numbers) ?? 0
        let cursor = Int64(try Self.lastEvent(of: request) ?? after)
        let place = try streams.enter()
        let first = try await registry.events(after: cursor, limit: FeedStream<ContinuousClock>.pageSize)
        context.onDisconnect { [weak place] in place?.leave() }
        let (credential, ids, logger) = (context.credential, context.ids, context.logger)
        let stream = FeedStream(
            registry: registry, tail: streams.tail, life: life, clock: ContinuousClock(),
            // On shutdown the server waits for open responses, so the stream must end by itself.
            mayGoOn: {
                !place.isLeft && !Task.isShuttingDownGracefully && credential.isStillValid(for: caller, with: .feed)
            },
            problem: { Problem.of($0, ids, logger) })
        return Response(
            status: .ok, headers: .eventStream,
            body: ResponseBody { writer in
                try await stream.run(after: cursor, first) { try await writer.write(ByteBuffer(bytes: $0)) }
                try await writer.finish(nil)
            })
    }

    /// The number of the last event that the client has, which an event source sends when it reconnects.
    private static func lastEvent(of request: Request) throws(Problem) -> Int? {
        guard let text = request.headers[.lastEventID] else { return nil }
        guard let number = Int(text), numbers.contains(number) else {
            throw Problem(.invalidParameter, "The header 'Last-Event-ID' must be the number of an event, as in 'id'.")
        }
        return number
    }
}

extension Registry {
    /// The events of the feed after a number, in order.
    /// - Throws: ``Problem`` 404 if the feed is off, 410 if it does not have all of them; `PostgresError`
    func events(after cursor: Int64, limit: Int) async throws -> [FeedEvent] {
        switch try await feed(after: cursor, limit: limit) {
        case .events(let events): return events
        case .expired: throw Problem.cursorExpired(cursor)
        case .off: throw Problem.feedOff
        }
    }
}

extension Problem {
    fileprivate static let feedOff = Problem(
        .feedOff, "The feed is off; have the operator set HANDLES_FEED, such as 7d.")

    fileprivate static func cursorExpired(_ cursor: Int64) -> Problem {
        Problem(
            .cursorExpired,
            "The feed does not have every event after \(cursor). Start again: run 'handles export --history', and read "
                + "on with 'after' and the number 'seq' of its last line.")
    }
}
