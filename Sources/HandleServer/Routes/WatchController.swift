import HandleRegistry
import Hummingbird
import ServiceLifecycle

/// `/v1/availability/watch`: the current decision and each later change, as server-sent events.
struct WatchController: Sendable {
    let registry: Registry
    let watches: Watches
    /// Lifetime of a stream. It ends at the first notice after that. Clients then reconnect by themselves, so
    /// connections spread over all instances.
    let life: Duration
    private let clock = ContinuousClock()

    /// Unchanged notices between two keep-alive comments, which detect broken connections.
    private static let noticesPerSignOfLife = 15

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, "/v1/availability/watch", for: .anyone) { try await watch($0, $1, $2) }
    }

    private func watch(_ request: Request, _ context: ServiceContext, _ caller: Caller) async throws -> Response {
        let question = try AvailabilityQuestion(Query(request), of: caller)
        // Checked before the watch begins, so every event of the stream is newer. An error becomes a normal response.
        let now = try await registry.availability(of: question.handle, for: question.owner, suggestions: 0)
        let watch = try watches.watch(
            question.handle, for: question.owner, by: .init(caller, from: context.subscriber))
        context.onDisconnect(watch.end)
        let credential = context.credential
        return Response(
            status: .ok,
            headers: .eventStream,
            body: ResponseBody { writer in
                let end = clock.now + life
                var last = Self.event(.decision(now.decision), for: question)
                try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
                try await writer.write(ByteBuffer(bytes: last))
                var unchanged = 0
                // On shutdown the server waits for open responses before the watches stop, so the stream must end by
                // itself.
                var notices = watch.notices.cancelOnGracefulShutdown().makeAsyncIterator()
                while clock.now < end, let notice = await notices.next() {
                    guard credential.isStillValid(for: caller) else { break }
                    let event = Self.event(notice, for: question)
                    unchanged = event == last ? unchanged + 1 : 0
                    if event != last {
                        try await writer.write(ByteBuffer(bytes: event))
                        last = event
                    } else if unchanged % Self.noticesPerSignOfLife == 0 {
                        try await writer.write(ByteBuffer(string: ": still the same\n\n"))
                    }
                }
                try await writer.finish(nil)
            })
    }

    /// Encodes a notice. Callers without a key get the same bytes for a hold and a claim, so this change sends no
    /// event.
    private static func event(_ notice: Watches.Notice, for question: AvailabilityQuestion) -> [UInt8] {
        switch notice {
        case .decision(let decision):
            var json = JSONWriter()
            json.write(decision, about: question.handle, suggestions: nil, for: question.audience)
            return Array("event: decision\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
        case .unknown:
            return Array("event: problem\ndata: ".utf8) + Problem.databaseUnavailable.json + Array("\n\n".utf8)
        }
    }
}

/// Looks up the watched names while the service runs; the streams end when it stops.
struct WatchService: Service {
    let watches: Watches

    func run() async throws {
        await cancelWhenGracefulShutdown { await watches.run(ContinuousClock()) }
    }
}

extension HTTPFields {
    /// The headers of a stream of server-sent events.
    static let eventStream: HTTPFields = [
        .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
        // The stream lasts until one side ends it, so no other response follows on this connection.
        .connection: "close",
    ]
}

extension Watches.Party {
    /// The caller and group for which streams are counted. Without a credential it is the subscriber. All subscribers
    /// of an IPv6 network of 48 bits are one group, because they may be one caller.
    init(_ caller: Caller, from subscriber: InternetAddress?) {
        func name(_ network: InternetAddress) -> String { "network:\(network.number)" }
        guard case .anyone = caller else {
            self.init("caller:\(caller.id)")
            return
        }
        let group = subscriber.flatMap { $0.isIPv4 ? nil : "of:" + name($0.network(48)) }
        self.init(subscriber.map(name) ?? "unknown", in: group)
    }
}

extension Problem {
    static let tooManyStreams = Problem(
        .tooManyStreams,
        "This caller, or its network, has reached its limit of open streams; close one, or try again later.",
        headers: [.retryAfter: "10"])
}
