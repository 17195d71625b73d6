import Foundation
import HandleServer
import TestSupport
import Testing

/// The timeouts of connections. Slow connections must not affect other callers.
@Suite(.serialized) struct SlowCallerTests {
    private struct End {
        let text: String
        let after: Duration
    }

    /// Sends the pieces with `pause` between them, and reads until the connection ends.
    private func send(_ pieces: [String], pause: Duration, to client: HTTPClient) async throws -> End {
        let beginning = ContinuousClock.now
        let descriptor = try client.connect()
        let reading = Task { End(text: await HTTPClient.rest(of: descriptor), after: .now - beginning) }
        for piece in pieces {
            HTTPClient.send(piece, on: descriptor)
            try await Task.sleep(for: pause)
        }
        let end = await reading.value
        close(descriptor)
        return end
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            ["GET /livez HT", "TP/1.1\r\n", "Host: x\r\n", "X-A: 1\r\n", "X-B: 2\r\n", "X-C: 3\r\n", "X-D: 4\r\n"],
            ["POST /v1/availability HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", "{", " ", " ", " ", " ", " "],
            [
                "POST /v1/availability HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n{\r\n",
                "1\r\n \r\n",
            ],
        ])
    func slowRequestGets408AndTheConnectionIsClosed(_ pieces: [String]) async throws {
        try await withServer(configure: { $0.limits.requestTime = .milliseconds(400) }) { client, anonymous in
            let end = try await send(pieces, pause: .milliseconds(100), to: anonymous)
            #expect(end.text.hasPrefix("HTTP/1.1 408 ") && end.text.contains("request_timeout"))
            #expect(end.after > .milliseconds(350))
            try await client.waitForMetric("handles_connections 1")
        }
    }

    @Test(.timeLimit(.minutes(5))) func idleConnectionIsClosedAfterTheIdleTimeout() async throws {
        try await withServer(configure: { $0.limits.idleTime = .seconds(1) }) { _, anonymous in
            let silent = try await send([], pause: .zero, to: anonymous)
            #expect(silent.text.isEmpty && silent.after > .milliseconds(900))
            var once = End(text: "", after: .zero)
            // On a machine that stalls for a second the request comes too late and gets no answer, so it is retried.
            while once.text.isEmpty {
                once = try await send(["GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"], pause: .zero, to: anonymous)
            }
            #expect(once.text.hasPrefix("HTTP/1.1 200 OK") && once.after > .milliseconds(900))
        }
    }

    @Test(.timeLimit(.minutes(5))) func connectionWithUnreadAnswersIsClosedAfterTheWriteTimeout() async throws {
        try await withServer(configure: { $0.limits.sendTime = .milliseconds(300) }) { client, anonymous in
            let descriptor = try anonymous.connect()
            defer { close(descriptor) }
            // More answers than the buffers of the system hold for a client that does not read.
            let key = try #require(client.key)
            let request = "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n\r\n"
            let ask = Array(repeating: request, count: 50).joined()
            let sending = Thread {
                while Array(ask.utf8).withUnsafeBytes({
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }) > 0 {}
            }
            sending.start()
            try await eventually("nothing more can be sent") { sending.isFinished }
            try await client.waitForMetric("handles_connections 1")
        }
    }

    @Test(.timeLimit(.minutes(5))) func slowRequestsDoNotDelayOtherCallers() async throws {
        // The concurrency limit is far below the number of slow requests: only a complete request takes a slot.
        try await withServer(configure: {
            $0.limits.requestTime = .seconds(3)
            $0.limits.inFlight = 20
        }) { client, anonymous in
            let slow = try (0..<300).map { number in
                let descriptor = try anonymous.connect()
                let part = [
                    "GET /v1/availab", "POST /v1/availability HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
                    "GET /v1/availability?handle=x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
                ][number % 3]
                HTTPClient.send(part, on: descriptor)
                return descriptor
            }
            for number in 0..<50 {
                let answer = try await anonymous.send("GET", "/v1/availability?handle=name_\(number)")
                #expect(answer.status == 200)
            }
            try await client.waitForMetric("handles_connections 1")
            for descriptor in slow { close(descriptor) }
        }
    }
}
