import Foundation
import HandleRegistry
import HandleRules
import TestSupport
import Testing

@testable import HandleServer

/// The connection handler between a real socket and the application.
@Suite(.timeLimit(.minutes(5))) struct ConnectionHandlerTests {
    @Test(arguments: ["", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"])
    func requestThatExpects100GetsItBeforeTheAnswer(_ before: String) async throws {
        try await withServer { _, anonymous in
            let body = #"{"handles":["johndoe"]}"#
            let request =
                before + "POST /v1/availability HTTP/1.1\r\nHost: x\r\n"
                + "Expect: 100-continue\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            let answer = try await anonymous.send(raw: Array((request + body).utf8))
            let statuses = answer.body.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
            #expect([String(answer.status)] + statuses == (before.isEmpty ? [] : ["200"]) + ["100", "200"])
            #expect(answer.body.contains("available"))
        }
    }

    /// A client that gets 408 must be able to rely on it, even if the rest of its request arrives later.
    @Test(arguments: [("DELETE", ""), ("PUT", #"{"owner":"two","display":"JohnDoe"}"#)])
    func requestThatGot408IsNotCarriedOut(_ method: String, _ body: String) async throws {
        let registry = try await freshRegistry()
        let name = method == "PUT" ? "free_name" : "johndoe"
        _ = try await registry.claim("johndoe", for: try #require(Owner("one")))
        try await withServer(registry, configure: { $0.limits.requestTime = .milliseconds(200) }) { client, _ in
            let descriptor = try client.connect()
            let chunk = body.isEmpty ? "" : "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n"
            HTTPClient.send(
                "\(method) /v1/handles/\(name) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(testKey)\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n\(chunk)", on: descriptor)
            let answer = await HTTPClient.part(of: descriptor)
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            HTTPClient.send("0\r\n\r\n", on: descriptor)
            _ = await HTTPClient.rest(of: descriptor)
            close(descriptor)
            // Not as 500, with an error in the log.
            try await eventually("the request is counted as 408") {
                let metrics = (try? await client.send("GET", "/metrics"))?.body ?? ""
                return metrics.contains(/method="\w+",route="\/v1\/handles\/{handle}",status="408"/)
            }
        }
        // The service has stopped, so no request is in progress.
        let kept = try await registry.record(of: #require(Handle("johndoe")))
        #expect(kept?.owner?.id == "one")
        let free = try await registry.record(of: #require(Handle("free_name")))
        #expect(free == nil)
    }

    /// The decoder takes what follows such a request for another protocol.
    @Test(arguments: [
        "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c", "CONNECT x:1 HTTP/1.1\r\nHost: x",
    ])
    func connectionIsClosedAfterARequestForAnotherProtocol(_ request: String) async throws {
        try await withServer { _, anonymous in
            let answer = try await anonymous.send(raw: Array("\(request)\r\n\r\n".utf8))
            #expect(answer.headers["connection"] == "close")
        }
    }

    @Test func requestOfHTTP10GetsAResponseThatItCanRead() async throws {
        try await withServer(streamLife: .milliseconds(100)) { client, _ in
            let stream = "GET /v1/availability/watch?handle=johndoe HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"
            for request in ["GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", stream] {
                let descriptor = try client.connect()
                HTTPClient.send(request, on: descriptor)
                let response = await HTTPClient.rest(of: descriptor)
                close(descriptor)
                #expect(response.hasPrefix("HTTP/1.0 200 "), "\(response)")
                #expect(response.lowercased().contains("connection: close"))
                #expect(!response.lowercased().contains("chunked"))
            }
        }
    }

    /// The moment at which a client closes its side.
    private enum End: CaseIterable { case beforeTheResponse, whileItIsSent, afterALineEnd }

    @Test(arguments: End.allCases)
    private func slowReaderThatClosesItsSideGetsAllOfTheResponse(_ end: End) async throws {
        try await withServer(configure: { $0.limits.sendTime = .seconds(240) }) { _, anonymous in
            let descriptor = try anonymous.connect(isSlow: true)
            defer { close(descriptor) }
            HTTPClient.send(HTTPClient.batchRequest(), on: descriptor)
            if end == .beforeTheResponse { shutdown(descriptor, Int32(SHUT_WR)) }
            let first = await HTTPClient.part(of: descriptor)
            let headEnd = try #require(first.range(of: "\r\n\r\n"))
            let length = try #require(first.firstMatch(of: /[Cc]ontent-[Ll]ength: (\d+)/).flatMap { Int($0.1) })
            // Some clients send it behind a request.
            if end == .afterALineEnd { HTTPClient.send("\r\n", on: descriptor) }
            if end != .beforeTheResponse { shutdown(descriptor, Int32(SHUT_WR)) }
            // By the time of these answers, the service has seen the end, and would have closed the connection.
            for _ in 0..<40 { _ = try await anonymous.send("GET", "/livez") }
            let text = String(first[headEnd.upperBound...]) + (await HTTPClient.rest(of: descriptor))
            #expect(text.utf8.count == length)
        }
    }
}
