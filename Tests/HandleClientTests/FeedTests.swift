import Foundation
import HandleClient
import HandleRules
import TestService
import TestSupport
import Testing

/// The feed from scripted answers: how it is read, and how its stream goes on after a failure.
@Suite(.timeLimit(.minutes(5))) struct FeedTests {
    private let clock = ManualClock()

    private static func event(_ seq: Int, _ members: String = "") -> String {
        #"{"seq":\#(seq),"at":"2026-11-21T10:00:00.000Z","handle":"janeroe","display":"JaneRoe","action":"claimed","#
            + #""from":"free","to":"claimed","owner":"jane"\#(members),"version":\#(seq)}"#
    }

    /// A server-sent event of the stream.
    private static func sent(_ seq: Int) -> String { "id: \(seq)\ndata: \(event(seq))\n\n" }

    private static func problem(_ code: String, _ status: Int) -> String {
        "event: problem\ndata: "
            + #"{"type":"/problems/\#(code)","title":"t","status":\#(status),"detail":"d","code":"\#(code)"}"# + "\n\n"
    }

    /// A stream that ends normally, or by a lost connection.
    private static func stream(_ parts: String..., isLost: Bool = false) -> TransportAnswer {
        answer(parts.map { Data($0.utf8) }, "text/event-stream", isLost ? .answerLost : nil)
    }

    private static func answer(_ parts: [Data], _ type: String, _ end: HandleClientError? = nil) -> TransportAnswer {
        let (body, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        for part in parts { continuation.yield(part) }
        continuation.finish(throwing: end)
        return TransportAnswer(status: 200, fields: ["content-type": type], body: body)
    }

    private func client(_ transport: ScriptedTransport) throws -> RegistryClient {
        try RegistryClient(
            base: #require(URL(string: "https://handles.example")), credential: .key("key"), transport: transport,
            clock: clock)
    }

    /// Waits until the stream pauses after its request with this number, and ends the pause.
    private func passPause(after number: Int, of pause: Duration, _ transport: ScriptedTransport) async throws {
        try await eventually("connection \(number) has ended") {
            transport.seen.count == number + 1 && clock.pauses.contains(pause)
        }
        clock.advance(by: pause)
    }

    @Test func eventsAreReadFromPartsOfAnySize() async throws {
        let lines = Data((1...3).map { Self.event($0) + "\n" }.joined().utf8)
        for size in [1, 7, 100, lines.count] {
            let transport = ScriptedTransport { _, _ in
                let parts = stride(from: 0, to: lines.count, by: size).map { lines[$0..<min($0 + size, lines.count)] }
                return Self.answer(parts.map { Data($0) }, "application/x-ndjson")
            }
            let events = try await client(transport).events(after: 0, limit: 3)
            #expect(events.map(\.seq) == [1, 2, 3], "in parts of \(size)")
            let request = try #require(transport.seen.first)
            #expect(request[query: "after"] == "0" && request[query: "limit"] == "3")
            #expect(request[field: "Accept"] == "application/x-ndjson")
        }
        let none = ScriptedTransport { _, _ in Self.answer([], "application/x-ndjson") }
        #expect(try await client(none).events(after: 7).isEmpty)
    }

    @Test func eventHasAllItsMembers() async throws {
        let text =
            #"{"seq":9,"at":"2027-01-15T08:00:00Z","handle":"janeroe","display":"JaneRoe","action":"renamed","#
            + #""from":"claimed","to":"quarantined","previous_owner":"jane","related":"johndoe","#
            + #""until":"2027-01-15T08:00:00.000Z","version":2,"weather":"fine"}"#
        let events = try await client(ScriptedTransport { _, _ in .json(text + "\n") }).events(after: 8)
        let event = try #require(events.first)
        let moment = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(event.seq == 9 && event.version == 2 && event.at == moment && event.until == moment)
        #expect(event.handle == Handle("janeroe") && event.display.description == "JaneRoe")
        #expect(event.action == .renamed && event.from == .claimed && event.to == .quarantined)
        #expect(event.owner == nil && event.previousOwner == "jane" && event.related == Handle("johndoe"))
    }

    @Test func eventOfANewerServiceIsRead() async throws {
        let text = Self.event(1).replacing(#""action":"claimed""#, with: #""action":"auctioned""#)
            .replacing(#""to":"claimed""#, with: #""to":"auctioned""#)
        let event = try await client(ScriptedTransport { _, _ in .json(text) }).events(after: 0).first
        #expect(event?.action == HandleEvent.Action(rawValue: "auctioned") && event?.from == .free)
        #expect(event != nil && event?.to == nil)
    }

    @Test(arguments: [
        "<html>", event(1) + "\n" + event(1), event(2) + "\n" + event(1), event(1) + "\n" + event(2).prefix(90),
        event(1).replacing("JaneRoe", with: "JohnDoe"), event(1).replacing("2026-11", with: "the 11th"),
    ])
    func unusableEventsThrow(_ text: String) async throws {
        let error = await #expect(throws: HandleClientError.self) {
            try await client(ScriptedTransport { _, _ in .json(text) }).events(after: 0)
        }
        #expect(error?.code == .unreadable)
    }

    /// The stream goes on from its last event, and leaves out those that it has had.
    @Test func streamResumesAfterItsLastEvent() async throws {
        let transport = ScriptedTransport { number, _ in
            switch number {
            case 0: Self.stream("retry: 2000\n\n", Self.sent(8) + Self.sent(9))
            case 1: Self.stream(Self.sent(9) + Self.sent(10), "id: 11\ndata: {\"seq\":", isLost: true)
            case 2: Self.stream(": nothing new\n\n")
            default: Self.stream(Self.sent(11))
            }
        }
        var events = try client(transport).eventStream(after: 7).makeAsyncIterator()
        #expect(try await events.next()?.seq == 8)
        #expect(try await events.next()?.seq == 9)
        async let pauses: Void = {
            // After a normal end the pause that the service asks for; after a failure it has doubled.
            try await passPause(after: 0, of: .seconds(2), transport)
            try await passPause(after: 1, of: .seconds(2), transport)
            try await passPause(after: 2, of: .seconds(1), transport)
        }()
        #expect(try await events.next()?.seq == 10)
        #expect(try await events.next()?.seq == 11)
        try await pauses
        #expect(transport.seen.map { $0[query: "after"] } == ["7", "9", "10", "10"])
        #expect(transport.seen.allSatisfy { $0.isStream && $0[field: "Accept"] == "text/event-stream" })
    }

    @Test func streamReconnectsWithBackOff() async throws {
        let transport = ScriptedTransport { number, _ throws(HandleClientError) in
            switch number {
            case 0: throw .unreachable
            case 1: return .json("<html>Bad gateway</html>", status: 502)
            case 2: return .json("<html>", fields: ["content-type": "text/html"])
            case 3: return .problem(429, "too_many_streams", fields: ["retry-after": "20"])
            case 4: return Self.stream(Self.problem("database_unavailable", 503))
            case 5: return Self.stream(Self.problem("slow_reader", 503))
            case 6: return Self.stream()
            default: return Self.stream(Self.sent(1))
            }
        }
        var events = try client(transport).eventStream(after: 0).makeAsyncIterator()
        async let pauses: Void = {
            for (number, pause) in [2, 4, 8, 20, 2, 2, 4].enumerated() {
                try await passPause(after: number, of: .seconds(pause), transport)
            }
        }()
        #expect(try await events.next()?.seq == 1)
        try await pauses
        #expect(transport.seen.allSatisfy { $0[query: "after"] == "0" })
    }

    @Test(arguments: [
        (410, "cursor_expired"), (404, "feed_off"), (403, "missing_scope"), (401, "wrong_key"),
        (400, "invalid_parameter"),
    ])
    func permanentProblemIsThrownAtOnce(_ status: Int, _ code: String) async throws {
        let transport = ScriptedTransport { _, _ in .problem(status, code) }
        let client = try client(transport)
        let page = await #expect(throws: HandleClientError.self) { try await client.events(after: 3) }
        #expect(page?.problem?.code.rawValue == code && page?.isTransient == false)
        var events = client.eventStream(after: 3).makeAsyncIterator()
        let error = await #expect(throws: HandleClientError.self) { try await events.next() }
        #expect(error?.problem?.code.rawValue == code && error?.status == status)
        #expect(transport.seen.count == 2)
        #expect(try await events.next() == nil && transport.seen.count == 2)
    }

    @Test(arguments: [("cursor_expired", 410), ("feed_off", 404), ("wrong_key", 401)])
    func permanentProblemInTheStreamIsThrownAfterItsEvents(_ code: String, _ status: Int) async throws {
        let transport = ScriptedTransport { _, _ in Self.stream(Self.sent(1) + Self.problem(code, status)) }
        var events = try client(transport).eventStream(after: 0).makeAsyncIterator()
        #expect(try await events.next()?.seq == 1)
        let error = await #expect(throws: HandleClientError.self) { try await events.next() }
        #expect(error?.problem?.code.rawValue == code && error?.status == status)
        #expect(transport.seen.count == 1)
    }

    /// If the client left the event out, the caller would not know that something is missing.
    @Test func unreadableEventEndsTheStream() async throws {
        let transport = ScriptedTransport { _, _ in Self.stream(Self.sent(1) + "data: {}\n\n" + Self.sent(3)) }
        var events = try client(transport).eventStream(after: 0).makeAsyncIterator()
        #expect(try await events.next()?.seq == 1)
        let error = await #expect(throws: HandleClientError.self) { try await events.next() }
        #expect(error?.code == .unreadable)
        #expect(try await events.next() == nil && transport.seen.count == 1)
    }

    @Test func cancelledStreamEnds() async throws {
        let transport = ScriptedTransport { _, _ in Self.stream(Self.sent(1)) }
        let stream = try client(transport).eventStream(after: 0)
        let reader = Task {
            var seen: [Int] = []
            for try await event in stream { seen.append(event.seq) }
            return seen
        }
        try await eventually("it waits") { clock.pauses.contains(.seconds(1)) }
        reader.cancel()
        #expect(try await reader.value == [1])
        #expect(transport.seen.count == 1)
    }
}
