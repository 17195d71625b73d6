import Foundation
import HandleRegistry
import TestSupport
import Testing

// A stream may never send the event that a test waits for, so the suite has a time limit.
@Suite(.timeLimit(.minutes(5))) struct WatchRouteTests {
    @Test func streamReportsChangesMadeByAnotherInstance() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let instances = try (0..<2).map { _ in try Registry(pool: patientPool(database), policy: .unlimited) }
        try await withServer(instances[0]) { client, _ in
            try await withServer(instances[1]) { _, anonymous in
                let events = try await anonymous.events("/v1/availability/watch?handle=johndoe")
                var iterator = events.makeAsyncIterator()
                #expect(await iterator.next() == "available")
                _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
                #expect(await iterator.next() == "unavailable")
            }
        }
    }

    @Test func streamShowsTheStateOnlyWithAKey() async throws {
        var policy = Policy.unlimited
        policy.quarantine = .zero
        try await withServer(try await freshRegistry(policy: policy)) { client, anonymous in
            let path = "/v1/availability/watch?handle=johndoe"
            var states = try await client.events(path, field: "state").makeAsyncIterator()
            var answers = try await anonymous.events(path).makeAsyncIterator()
            #expect(await states.next() == "available")
            #expect(await answers.next() == "available")
            _ = try await client.send("POST", "/v1/holds", #"{"handle":"johndoe","owner":"one"}"#)
            #expect(await states.next() == "held")
            #expect(await answers.next() == "unavailable")
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            #expect(await states.next() == "claimed")
            // Without a key a hold and a claim look the same, so the next event says that the name is available.
            _ = try await client.send("DELETE", "/v1/handles/johndoe")
            #expect(await states.next() == "available")
            #expect(await answers.next() == "available")
        }
    }

    @Test func streamReportsAHoldThatExpires() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        try await withServer(registry) { client, anonymous in
            _ = try await client.send("POST", "/v1/holds", #"{"handle":"johndoe","owner":"one"}"#)
            let events = try await anonymous.events("/v1/availability/watch?handle=johndoe")
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == "unavailable")
            // The hold expires, without a write by the service.
            try await execute("UPDATE names SET until = now()", on: database)
            #expect(await iterator.next() == "available")
        }
    }

    @Test func streamClosedByTheClientFreesItsSlot() async throws {
        try await withServer { client, anonymous in
            do {
                let events = try await anonymous.events("/v1/availability/watch?handle=johndoe")
                for await event in events {
                    #expect(event == "available")
                    break
                }
                #expect(try await client.send("GET", "/metrics").body.contains("\nhandles_watchers 1\n"))
            }
            try await client.waitForMetric("handles_watchers 0")
        }
    }

    /// Bytes behind the request head are read before the stream begins, or not at all. They must not keep the stream,
    /// or the service, from ending.
    @Test(arguments: [
        "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: "1\r\nx\r\n", count: 40) + "0\r\n\r\n",
        "Content-Length: 3\r\n\r\nabc", "\r\nGET /version HTTP/1.1\r\nHost: x\r\n\r\n",
        "\r\n"
            + String(repeating: "POST /v1/availability HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", count: 9),
        "\r\nGET /ver",
    ])
    func streamEndsWhateverFollowsTheRequestHead(_ rest: String) async throws {
        try await withServer(streamLife: .milliseconds(1)) { client, anonymous in
            let request = "GET /v1/availability/watch?handle=johndoe HTTP/1.1\r\nHost: x\r\n\(rest)"
            let answer = try await anonymous.send(raw: Array(request.utf8))
            #expect(answer.status == 200 && answer.headers["connection"] == "close")
            #expect(answer.body.contains("event: decision") && answer.body.hasSuffix("0\r\n\r\n"))
            #expect(!answer.body.contains("HTTP/1.1"))
            try await client.waitForMetric("handles_watchers 0")
        }
    }

    /// The stream says `Connection: close`, so the client sends its next request again, on another connection.
    @Test func requestPipelinedBehindAStreamIsNotExecuted() async throws {
        try await withServer(streamLife: .milliseconds(1)) { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            let key = try #require(client.key)
            let requests = ["GET /v1/availability/watch?handle=johndoe", "DELETE /v1/handles/johndoe"].map {
                "\($0) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n\r\n"
            }
            let answer = try await anonymous.send(raw: Array(requests.joined().utf8))
            #expect(answer.status == 200 && answer.body.hasSuffix("0\r\n\r\n"))
            // All work for a connection is done once it has ended.
            try await client.waitForMetric("handles_connections 1")
            let record = try await client.send("GET", "/v1/handles/johndoe")
            #expect(record.json["state"] as? String == "claimed")
        }
    }

    @Test func headRequestOpensNoStream() async throws {
        try await withServer { client, anonymous in
            let head = try await anonymous.send("HEAD", "/v1/availability/watch?handle=johndoe")
            #expect(head.status == 200 && head.headers["content-type"] == "text/event-stream")
            try await client.waitForMetric("handles_watchers 0")
        }
    }

    @Test func watchWithoutAHandleGets400() async throws {
        try await withServer { _, anonymous in
            let answer = try await anonymous.send("GET", "/v1/availability/watch")
            #expect(answer.status == 400 && answer.json["code"] as? String == "missing_parameter")
        }
    }
}
