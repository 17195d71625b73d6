import Foundation
import HandleClient
import HandleRegistry
import HandleRules
import HandleServer
import NIOConcurrencyHelpers
import TestService
import TestSupport
import Testing

/// The feed and moved names at the real program.
@Suite(.timeLimit(.minutes(10))) struct FeedCallTests {
    private static func word(_ event: HandleEvent) -> String {
        let states = "\(event.from?.rawValue ?? "?")-\(event.to?.rawValue ?? "?")"
        return "\(event.display) \(event.action.rawValue) \(states) \(event.previousOwner ?? "")>\(event.owner ?? "")"
    }

    @Test func feedHasEveryChangeInOrder() async throws {
        try await withService { client, _, _ in
            #expect(try await client.events(after: 0).isEmpty)
            _ = try await client.claim("JaneRoe", for: .id("jane"))
            _ = try await client.recase("janeroe", as: "JANEROE")
            let renamed = try await client.rename("janeroe", to: "JohnDoe", for: .id("jane"), forwarding: true)
            try await client.releaseAtOnce("johndoe")
            let words = [
                "JaneRoe claimed free-claimed >jane", "JANEROE recased claimed-claimed jane>jane",
                "JANEROE renamed claimed-quarantined jane>", "JohnDoe renamed free-claimed >jane",
                "JohnDoe released claimed-free jane>",
            ]
            var events: [HandleEvent] = []
            try await eventually("all have numbers") {
                events = try await client.events(after: 0)
                return events.count >= words.count
            }
            #expect(events.map(Self.word) == words)
            #expect(events.map(\.seq) == Array(1...5) && events.map(\.version) == [1, 2, 3, 1, 2])
            #expect(events[2].related == Handle("johndoe") && events[3].related == Handle("janeroe"))
            #expect(events[2].until.map { $0 > .now } == true && events[4].until == nil)
            #expect(events[3].at == renamed.changedAt)
            #expect(try await client.events(after: 1, limit: 2) == Array(events[1...2]))
            #expect(try await client.events(after: 5).isEmpty)
            let error = await #expect(throws: HandleClientError.self, "there is no such event yet") {
                try await client.events(after: 6)
            }
            #expect(error?.problem?.code == .cursorExpired)
        }
    }

    @Test func streamHasTheEventsBeforeAndAfterItBegan() async throws {
        try await withService { client, anyone, _ in
            _ = try await client.claim("JaneRoe", for: .id("jane"))
            let seen = NIOLockedValueBox<[String]>([])
            let reader = Task {
                for try await event in client.eventStream(after: 0) {
                    seen.withLockedValue { $0.append(event.handle.description) }
                }
            }
            try await eventually("the first is there") { seen.withLockedValue { $0 == ["janeroe"] } }
            _ = try await client.claim("JohnDoe", for: .id("john"))
            try await eventually("the second is there") { seen.withLockedValue { $0 == ["janeroe", "johndoe"] } }
            reader.cancel()
            try await reader.value
            var events = client.eventStream(after: 1).makeAsyncIterator()
            #expect(try await events.next()?.handle == Handle("johndoe"))

            var strangers = anyone.eventStream(after: 0).makeAsyncIterator()
            let error = await #expect(throws: HandleClientError.self, "a key is needed") { try await strangers.next() }
            #expect(error?.problem?.code == .noKey)
        }
    }

    /// The service is in this process, where the test turns the feed off and on again.
    @Test func cursorOfAnEarlierFeedHasExpired() async throws {
        let registry = try await freshRegistry()
        try await withApplication(
            registry, authenticator: Authenticator(first: "test-key-0123456789", ring: KeyRing())
        ) { port in
            let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
            let client = RegistryClient(
                base: base, credential: .key("test-key-0123456789"), transport: URLSessionTransport.patient,
                limits: .patient)
            func code(_ work: () async throws -> Void) async throws -> ProblemCode? {
                await #expect(throws: HandleClientError.self) { try await work() }?.problem?.code
            }
            func next(after seq: Int) async throws -> HandleEvent? {
                var events = client.eventStream(after: seq).makeAsyncIterator()
                return try await events.next()
            }
            #expect(try await code { _ = try await client.events(after: 0) } == .feedOff)
            #expect(try await code { _ = try await next(after: 0) } == .feedOff)
            try await registry.keepFeed(for: .seconds(3600))
            _ = try await client.claim("janeroe", for: .id("jane"))
            _ = try await FeedLeader(registry).round()
            #expect(try await next(after: 0)?.handle == Handle("janeroe"))
            try await registry.keepFeed(for: .zero)
            try await registry.keepFeed(for: .seconds(3600))
            #expect(try await code { _ = try await client.events(after: 1) } == .cursorExpired)
            #expect(try await code { _ = try await next(after: 1) } == .cursorExpired)
        }
    }

    @Test func movedNameLeadsToThePresentOneUntilThatEnds() async throws {
        try await withService { client, anyone, _ in
            _ = try await client.claim("JaneRoe", for: .id("jane"))
            #expect(try await client.resolve("@janeroe") == .found(present: "JaneRoe", "jane"))
            #expect(try await anyone.resolve("janeroe").display?.description == "JaneRoe")
            _ = try await client.rename("janeroe", to: "Harbor_Jane", for: .id("jane"), forwarding: true)
            guard case .moved(let present, let until) = try await anyone.resolve("JaneRoe") else {
                Issue.record("the name leads nowhere")
                return
            }
            #expect(present.description == "Harbor_Jane" && until > .now)
            let old = try await client.record(of: "janeroe")
            #expect(old?.state == .quarantined && old?.movedTo == present && old?.until == until)
            // It follows the owner, not the name.
            _ = try await client.rename("harbor_jane", to: "JohnDoe", for: .id("jane"))
            #expect(try await anyone.resolve("janeroe").display?.description == "JohnDoe")
            #expect(try await anyone.resolve("harbor_jane") == .none)

            let all = try await client.resolve(
                handles: ["JaneRoe", " @johnDoe", "harbor_jane", "john_valley", "a."], owners: ["john", "jane"])
            #expect(all.handles.map(\.display?.description) == ["JohnDoe", "JohnDoe", nil, nil, nil])
            #expect(all.handles[1] == .found(present: "JohnDoe", "jane") && all.handles[4] == .none)
            #expect(all.owners.map { $0.map(\.description) } == [[], ["JohnDoe"]])
            let none = try await client.resolve()
            #expect(none.handles.isEmpty && none.owners.isEmpty)

            let ended = try await client.endForward(of: "janeroe")
            #expect(ended.state == .quarantined && ended.movedTo == nil && ended.handle == Handle("janeroe"))
            #expect(try await anyone.resolve("janeroe") == .none)
            #expect(try await anyone.record(of: "janeroe") == nil)
        }
    }
}

extension HandleResolution {
    fileprivate static func found(present: String, _ owner: String) -> HandleResolution? {
        DisplayHandle(present).map { .found($0, owner: owner) }
    }
}
