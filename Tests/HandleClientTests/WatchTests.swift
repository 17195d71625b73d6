import Foundation
import HandleClient
import HandleRegistry
import HandleServer
import NIOConcurrencyHelpers
import TestService
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct WatchTests {
    private static func decision(_ status: String) -> String {
        let reasons = status == "available" ? "" : TransportAnswer.taken
        return "event: decision\ndata: "
            + #"{"input":"janeroe","handle":"janeroe","display":"janeroe","status":"\#(status)","reasons":[\#(reasons)]}"#
            + "\n\n"
    }

    /// A short text for an event.
    private static func word(_ event: HandleWatchEvent?) -> String {
        switch event {
        case .decision(let decision): decision.status.rawValue
        case .unknown(let error): "unknown: \(error.problem?.code.rawValue ?? "\(error)")"
        case nil: "end"
        }
    }

    private static func stream(_ text: String) -> TransportAnswer {
        .json(text, fields: ["content-type": "text/event-stream"])
    }

    private let clock = ManualClock()

    private func events(
        _ transport: ScriptedTransport, as credential: RegistryClient.Credential = .none
    ) throws -> AsyncThrowingStream<HandleWatchEvent, any Error>.Iterator {
        let base = try #require(URL(string: "https://handles.example"))
        return RegistryClient(base: base, credential: credential, transport: transport, clock: clock).watch("janeroe")
            .makeAsyncIterator()
    }

    @Test func watchReconnectsAfterTheEndOfAStream() async throws {
        let transport = ScriptedTransport { number, _ in
            Self.stream("retry: 2000\n\n" + Self.decision(number == 2 ? "unavailable" : "available"))
        }
        var events = try events(transport)
        #expect(Self.word(try await events.next()) == "available")
        // The second stream begins with the same decision, which is not reported again.
        for number in 1...2 {
            try await eventually("stream \(number) has ended") {
                transport.seen.count == number && clock.pauses.contains(.seconds(2))
            }
            clock.advance(by: .milliseconds(1999))
            #expect(transport.seen.count == number)
            clock.advance(by: .milliseconds(1))
        }
        #expect(Self.word(try await events.next()) == "unavailable")
        #expect(transport.seen.allSatisfy { $0.isStream && $0[field: "Accept"] == "text/event-stream" })
    }

    @Test func watchReportsUnknownWhileTheServiceIsDown() async throws {
        let transport = ScriptedTransport { number, _ throws(HandleClientError) in
            switch number {
            case 1: throw .unreachable
            case 2: return .problem(429, "too_many_streams", fields: ["retry-after": "5"])
            case 3: return Self.stream(Self.decision("available") + "event: problem\ndata: {}\n\n")
            default: return Self.stream(Self.decision("available"))
            }
        }
        var events = try events(transport)
        #expect(Self.word(try await events.next()) == "available")
        for (number, pause) in [(1, 1), (2, 2), (3, 5)] {
            try await eventually("stream \(number) has ended") {
                transport.seen.count == number && clock.pauses.contains(.seconds(pause))
            }
            if number == 2 {
                #expect(Self.word(try await events.next()).hasPrefix("unknown: the registry can't be reached"))
            }
            clock.advance(by: .seconds(pause))
        }
        // The fourth stream has a decision and then an unreadable event. Only the newest event is kept.
        try await eventually("the fourth stream has ended") {
            transport.seen.count == 4 && clock.pauses.contains(.seconds(2))
        }
        #expect(Self.word(try await events.next()).hasPrefix("unknown: an answer with status 200"))
        clock.advance(by: .seconds(2))
        #expect(Self.word(try await events.next()) == "available")
    }

    @Test func problemInTheStreamIsReportedAsUnknown() async throws {
        let problem =
            #"{"type":"/problems/database_unavailable","title":"t","status":503,"detail":"d","code":"database_unavailable"}"#
        let transport = ScriptedTransport { _, _ in Self.stream("event: problem\ndata: \(problem)\n\n") }
        var events = try events(transport)
        #expect(Self.word(try await events.next()) == "unknown: database_unavailable")
    }

    @Test(arguments: [(403, "missing_scope"), (400, "input_too_long"), (401, "wrong_key")])
    func permanentProblemEndsTheWatch(_ status: Int, _ code: String) async throws {
        let transport = ScriptedTransport { _, _ in .problem(status, code) }
        var events = try events(transport)
        let error = await #expect(throws: HandleClientError.self, "the call is refused") {
            try await events.next()
        }
        #expect(error?.problem?.code.rawValue == code)
    }

    @Test(arguments: 0..<4) func responseThatIsNoEventStreamIsReportedAsUnknown(_ index: Int) async throws {
        let page: @Sendable () -> TransportAnswer = {
            switch index {
            case 0: .json("<html>", fields: ["content-type": "text/html"])
            case 1: Self.stream(": nothing\n\n")
            case 2: Self.stream("")
            default: .json(Self.decision("available"), status: 206, fields: ["content-type": "text/event-stream"])
            }
        }
        let transport = ScriptedTransport { number, _ in number == 0 ? Self.stream(Self.decision("available")) : page()
        }
        var events = try events(transport)
        #expect(Self.word(try await events.next()) == "available")
        try await eventually("the stream has ended") { clock.pauses.contains(.seconds(1)) }
        clock.advance(by: .seconds(1))
        #expect(Self.word(try await events.next()).hasPrefix("unknown: an answer with status"))
    }

    @Test func watchContinuesWhenThereIsATokenAgain() async throws {
        struct Offline: Error {}
        let isOnline = NIOLockedValueBox(false)
        let transport = ScriptedTransport { _, _ in Self.stream(Self.decision("available")) }
        let person = RegistryClient.Credential.person { _ in
            guard isOnline.withLockedValue({ $0 }) else { throw Offline() }
            return "token"
        }
        var events = try events(transport, as: person)
        #expect(Self.word(try await events.next()).hasPrefix("unknown: there is no token"))
        isOnline.withLockedValue { $0 = true }
        try await eventually("it waits") { clock.pauses.contains(.seconds(2)) }
        clock.advance(by: .seconds(2))
        #expect(Self.word(try await events.next()) == "available")
    }

    /// A real service that ends each stream as soon as it can, and that is stopped at the end.
    @Test func watchFollowsTheChangesAtARealService() async throws {
        var limits = RegistryClient.Limits()
        limits.reconnecting = .milliseconds(1)...(.milliseconds(1))
        let registry = try await freshRegistry()
        let seen = NIOLockedValueBox<[String]>([])
        let reader = NIOLockedValueBox<Task<Void, any Error>?>(nil)
        try await withApplication(
            registry, authenticator: Authenticator(first: "test-key-0123456789", ring: KeyRing()),
            configure: { $0.streamLife = .zero }
        ) { [limits] port in
            let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
            let key = RegistryClient(
                base: base, credential: .key("test-key-0123456789"), transport: URLSessionTransport.patient,
                limits: .patient)
            let events = RegistryClient(base: base, limits: limits).watch("janeroe")
            let task = Task { for try await event in events { seen.withLockedValue { $0.append(Self.word(event)) } } }
            reader.withLockedValue { $0 = task }
            try await eventually("it is known") { seen.withLockedValue { $0.last == "available" } }
            _ = try await key.claim("janeroe", for: .id("jane"))
            try await eventually("it is taken") { seen.withLockedValue { $0.last == "unavailable" } }
        }
        try await eventually("the service is gone") { seen.withLockedValue { $0.last?.hasPrefix("unknown") == true } }
        reader.withLockedValue(\.self)?.cancel()
        // On a busy machine a connection may be lost meanwhile, which is reported as unknown.
        let told = seen.withLockedValue { $0.filter { !$0.hasPrefix("unknown") } }
        #expect(told.first == "available" && told.last == "unavailable")
    }
}
