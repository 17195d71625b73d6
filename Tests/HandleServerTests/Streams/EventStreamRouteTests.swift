import HandleRegistry
import TestSupport
import Testing

// A stream may never send the event that a test waits for, so the suite has a time limit.
@Suite(.timeLimit(.minutes(5))) struct EventStreamRouteTests {
    private let path = "/v1/events/stream"

    private static func claim(_ name: String, _ client: HTTPClient) async throws {
        #expect(try await client.send("PUT", "/v1/handles/\(name)", #"{"owner":"one"}"#).status == 201)
    }

    @Test func streamSendsTheEventsAfterTheNumberAndEachLaterOne() async throws {
        let (registry, leader) = try await registryWithFeed()
        try await withServer(registry) { [path] client, _ in
            for name in ["johndoe", "janedoe"] { try await Self.claim(name, client) }
            _ = try await leader.round()
            var all = try await client.events(path, field: "seq").makeAsyncIterator()
            var later = try await client.events(path + "?after=2", field: "handle").makeAsyncIterator()
            #expect(await all.next() == "1")
            #expect(await all.next() == "2")
            for (number, name) in ["zebra_x", "zebra_y"].enumerated() {
                try await Self.claim(name, client)
                _ = try await leader.round()
                #expect(await all.next() == "\(number + 3)")
                #expect(await later.next() == name)
            }
        }
    }

    @Test func streamGoesOnAfterTheLastEventThatTheClientHas() async throws {
        let (registry, leader) = try await registryWithFeed()
        try await withServer(registry, streamLife: .zero) { [path] client, _ in
            for name in ["johndoe", "janedoe", "zebra_x"] { try await Self.claim(name, client) }
            _ = try await leader.round()
            let answer = try await client.send("GET", path + "?after=0", headers: ["Last-Event-ID": "2"])
            #expect(answer.status == 200 && answer.headers["content-type"] == "text/event-stream")
            #expect(answer.headers["connection"] == "close" && answer.headers["cache-control"] == "no-store")
            let events = answer.body.split(separator: "\r\n").filter { $0.hasSuffix("\n\n") }.joined()
            #expect(events.hasPrefix("retry: 2000\n\nid: 3\ndata: {\"seq\":3,"), "\(events)")
            #expect(events.contains(#""handle":"zebra_x""#) && answer.body.hasSuffix("0\r\n\r\n"))
            for text in ["-1", "x", "1, 2", "9007199254740992"] {
                let refused = try await client.send("GET", path, headers: ["Last-Event-ID": text])
                #expect(refused.status == 400 && refused.json["code"] as? String == "invalid_parameter", "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("UPDATE feed_state SET seq = 50, floor = 50", "cursor_expired"),
        ("UPDATE feed_state SET kept = 0", "feed_off"),
        ("ALTER TABLE feed_state RENAME TO away", "database_unavailable"),
    ])
    func streamEndsWithTheProblemAsItsLastEvent(_ sql: String, _ code: String) async throws {
        let (registry, _) = try await registryWithFeed()
        try await withServer(registry) { [path] client, _ in
            async let stream = client.send("GET", path)
            try await client.waitForMetric("handles_feed_streams 1")
            try await registry.execute(sql)
            let answer = try await stream
            #expect(
                answer.status == 200 && answer.body.contains(#"event: problem\#ndata: {"type":"/problems/\#(code)""#))
            #expect(answer.body.hasSuffix("0\r\n\r\n"))
            try await client.waitForMetric("handles_feed_streams 0")
        }
    }

    @Test func streamEndsWhenItsKeyIsRevoked() async throws {
        let (registry, leader) = try await registryWithFeed()
        let store = KeyStore(pool: registry.pool)
        let key = try await store.newKey([.feed])
        try await withServer(registry, keys: store) { [path] first, _ in
            try await Self.claim("johndoe", first)
            _ = try await leader.round()
            var seen: [String] = []
            for await event in try await HTTPClient(port: first.port, key: key.text).events(path, field: "seq") {
                seen.append(event)
                guard event == "1" else { continue }
                _ = try await store.revoke(key.id, actor: "tester")
                try await store.refresh()
            }
            #expect(seen == ["1", "end"])
        }
    }

    @Test func streamClosedByTheClientFreesItsPlace() async throws {
        let (registry, leader) = try await registryWithFeed()
        try await withServer(registry) { [path] client, _ in
            try await Self.claim("johndoe", client)
            _ = try await leader.round()
            do {
                var events = try await client.events(path, field: "seq").makeAsyncIterator()
                #expect(await events.next() == "1")
                try await client.waitForMetric("handles_feed_streams 1")
                withExtendedLifetime(events) {}
            }
            let head = try await client.send("HEAD", path)
            #expect(head.status == 200 && head.headers["content-type"] == "text/event-stream")
            try await client.waitForMetric("handles_feed_streams 0")
        }
    }
}
