import Foundation
import HandleRegistry
import HandleServer
import Postgres
import TestSupport
import Testing

/// Requests that no HTTP library would send. Each gets one problem document, and the connection is closed.
@Suite struct RawRequestTests {
    /// A second request behind the malformed one, which must never be answered.
    private static let smuggled = "GET /version HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Ends of requests with a body. Its length conflicts, or is invalid.
    private static let bodies = [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
        "Content-Length: 0\r\nContent-Length: 5\r\n\r\n", "Content-Length: 0, 5\r\n\r\n", "Content-Length: +5\r\n\r\n",
        "Content-Length: -1\r\n\r\n", "Content-Length: 0x5\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding:\u{0B}chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    ].map { ("POST /v1/availability HTTP/1.1\r\nHost: x\r\n\($0)", 400) }

    /// Malformed header lines. `Host` is missing or repeated.
    private static let fields = [
        "Host: x\r\n Content-Length: 5", "Host: x\r\nX: a\rb: c", "Host: x\r\nX: a\u{0}b", "Host: x\r\nX Y: a",
        "Host: x\r\n: a", "Host: x\r\nno colon", "X: a", "Host: x\r\nHost: y",
    ].map { ("GET /livez HTTP/1.1\r\n\($0)\r\n\r\n", 400) }

    /// Not a request of HTTP/1. Each character is a byte.
    private static let lines = [
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HELO x\r\n\r\n", "rubbish\r\n\r\n",
        "GET /livez HTTP/9.9\r\nHost: x\r\n\r\n", "GET /li vez HTTP/1.1\r\nHost: x\r\n\r\n", "get /livez\r\n\r\n",
        "GET http:// HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n", "FOO /livez HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /v1/availability?handle=a\u{0}b HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /v1/availability?handle=a\u{FF} HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /v1/availability HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ].map { ($0, 400) }

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static let tooLarge =
        [
            ("GET /\(letters(14_000)) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 414),
            ("GET /livez HTTP/1.1\r\nHost: x\r\nX: \(letters(20_000))\r\n\r\n", 431),
            ("GET /livez HTTP/1.1\r\nHost: x\r\n\((0..<100).map { "X\($0): a\r\n" }.joined())\r\n", 431),
            ("GET /livez HTTP/1.1\r\nHost: x\r\n\((0..<40).map { "X\($0): \(letters(500))\r\n" }.joined())\r\n", 431),
            // A header field that arrives in many reads.
            ("GET /livez HTTP/1.1\r\nHost: x\r\nX: \(letters(600_000))\r\n\r\n", 431),
        ]
        + [
            "Content-Length: 300000\r\n\r\n{", "Content-Length: 9000000000\r\n\r\n{",
            "Transfer-Encoding: chunked\r\n\r\n4a000\r\n\(String(repeating: " ", count: 0x4A000))\r\n",
        ].map { ("POST /v1/availability HTTP/1.1\r\nHost: x\r\n\($0)", 413) }

    private static let shapes = bodies + fields + lines + tooLarge

    @Test(arguments: shapes.indices)
    func malformedRequestGetsOneProblemAndEndsTheConnection(_ index: Int) async throws {
        let (shape, status) = Self.shapes[index]
        // The database is unreachable: no malformed request may get that far.
        let registry = try Registry(pool: Pool(.init(conninfo: "host=/nonexistent")))
        try await withServer(registry) { _, anonymous in
            let answer = try await anonymous.send(
                raw: (shape + Self.smuggled).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
            expectProblem(answer, "\(shape.prefix(200)) → \(answer.body.prefix(300))", status...status)
            #expect(answer.headers["connection"] == "close")
            #expect(!answer.body.contains("HTTP/1.1 2") && !answer.body.contains("schema"))
            // The service still answers other requests.
            let next = try await anonymous.send("GET", "/livez")
            #expect(next.status == 200)
        }
    }

    /// They are text, and must not split a response header.
    @Test func percentEncodedLineBreaksEndUpInNoHeader() async throws {
        try await withServer { client, _ in
            for place in [
                "/v1/availability?handle=a%0d%0aX-Evil:%20yes", "/v1/handles/a%0d%0aX-Evil:%20yes",
                "/v1/owners/a%0d%0aX-Evil:%20yes/handles", "/%0d%0aX-Evil:%20yes",
            ] {
                let answer = try await client.send("GET", place)
                #expect(answer.headers["x-evil"] == nil)
                #expect((200..<500).contains(answer.status))
            }
        }
    }

    /// The 400 follows the answers to the pipelined requests before it, and does not replace one of them.
    @Test(arguments: [false, true]) func requestsBeforeAMalformedOneAreAnswered(_ isAll: Bool) async throws {
        try await withServer { _, anonymous in
            let one = "GET /v1/availability?handle=johndoe HTTP/1.1\r\nHost: x\r\n\r\n"
            let answer = try await anonymous.send(raw: Array((one + one + one + "HELO x\r\n\r\n").utf8), isAll: isAll)
            #expect(answer.body.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
            #expect(answer.body.components(separatedBy: "HTTP/1.1 400 ").count == 2)
        }
    }

    /// A part of a request may mean something else than the complete one.
    @Test(arguments: ["", "GET /v1/availability?handle=johndoe HTTP/1.1\r\nHost: x\r\n\r\n"])
    func truncatedRequestChangesNothing(_ before: String) async throws {
        try await withServer { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            let key = try #require(client.key)
            for (method, body) in [("DELETE", ""), ("PATCH", #"{"display":"JOHNDOE"}"#)] {
                let request =
                    before + "\(method) /v1/handles/johndoe HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n"
                    + "Content-Length: 100\r\n\r\n\(body)"
                _ = try? await client.send(raw: Array(request.utf8), isAll: true)
                let found = try await client.send("GET", "/v1/handles/johndoe")
                #expect(found.status == 200 && found.json["display"] as? String == "johndoe")
            }
        }
    }

    @Test func deeplyNestedBodyGets400() async throws {
        try await withServer { client, _ in
            for depth in [9, 5000] {
                let body = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                let answer = try await client.send("POST", "/v1/availability", body)
                #expect(answer.status == 400 && answer.json["code"] as? String == "too_deep")
            }
            // Brackets in a string don't count.
            let text = try await client.send("POST", "/v1/availability", #"{"handles":["[[[[[[[[[[\"[["]}"#)
            #expect(text.status == 200)
        }
    }
}
