import HandleRegistry
import HandleServer
import TestSupport
import Testing

/// Availability requests by web pages of other origins (CORS).
@Suite struct PageOriginTests {
    private static let ours = "https://app.example"

    private func withPages(
        _ body: @escaping @Sendable (_ client: HTTPClient, _ anonymous: HTTPClient) async throws -> Void
    ) async throws {
        let origins = try PageOrigins([Self.ours, "http://localhost:3000"])
        try await withServer(typingPause: .zero, configure: { $0.pageOrigins = origins }, body)
    }

    private func allowed(_ answer: HTTPAnswer) -> String? { answer.headers["access-control-allow-origin"] }

    private static let reads = [
        "/v1/availability?handle=janeroe", "/v1/availability/live?handle=janeroe&session=a&seq=1",
    ]

    @Test(arguments: reads) func pagesOfConfiguredOriginsMayReadAvailability(_ path: String) async throws {
        try await withPages { client, anonymous in
            for origin in [Self.ours, "http://localhost:3000"] {
                for method in ["GET", "HEAD"] {
                    let answer = try await anonymous.send(method, path, headers: ["Origin": origin])
                    #expect(answer.status == 200 && allowed(answer) == origin && answer.headers["vary"] == "Origin")
                    #expect(answer.headers["access-control-allow-credentials"] == nil)
                    #expect(answer.headers["access-control-expose-headers"]?.contains("retry-after") == true)
                }
            }
            // A request without `Origin` gets the same answer, and `Vary` lets caches tell the two apart.
            let plain = try await client.send("GET", path)
            #expect(allowed(plain) == nil && plain.headers["vary"] == "Origin")
        }
    }

    @Test(arguments: [
        "https://app.example.evil.example", "https://evil.example", "http://app.example", "https://app.example:8443",
        "https://APP.example", "https://app.example/", "null", "", "*", "https://sub.app.example",
    ])
    func pagesOfOtherOriginsMayNotReadAvailability(_ origin: String) async throws {
        try await withPages { _, anonymous in
            let answer = try await anonymous.send("GET", Self.reads[0], headers: ["Origin": origin])
            #expect(answer.status == 200 && allowed(answer) == nil && answer.headers["vary"] == "Origin")
            let preflight = try await anonymous.send(
                "OPTIONS", Self.reads[0], headers: ["Origin": origin, "Access-Control-Request-Method": "GET"])
            #expect(preflight.status == 405 && allowed(preflight) == nil)
        }
    }

    @Test func pagesMayReadTheProblemOfARefusedRequest() async throws {
        let origins = try PageOrigins([Self.ours])
        try await withServer(
            configure: {
                $0.pageOrigins = origins
                $0.limits.anonymous = Rate(2, perSeconds: 300)
            }
        ) { _, anonymous in
            for (path, status) in [
                ("/v1/availability", 400), (Self.reads[0], 200), (Self.reads[0], 429), ("/v1/availability", 429),
            ] {
                let answer = try await anonymous.send(
                    "GET", path, headers: ["Origin": Self.ours, "X-Request-Id": "shop-4711"])
                #expect(answer.status == status && allowed(answer) == Self.ours)
                #expect(answer.headers["x-request-id"] == "shop-4711")
            }
        }
    }

    @Test func preflightAnswerMayBeCachedForTwoHours() async throws {
        try await withPages { _, anonymous in
            for path in Self.reads {
                let raw = """
                    OPTIONS \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: \(Self.ours)\r
                    Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: x-request-id\r\n\r\n
                    """
                let answer = try await anonymous.send(raw: Array(raw.utf8))
                #expect(answer.status == 204 && allowed(answer) == Self.ours && answer.body.isEmpty)
                #expect(answer.headers["access-control-allow-methods"] == "GET, HEAD")
                #expect(answer.headers["access-control-max-age"] == "7200")
                #expect(answer.headers["access-control-allow-credentials"] == nil)
                #expect(answer.headers["access-control-allow-headers"]?.contains("authorization") == false)
                #expect(answer.headers["vary"]?.hasPrefix("Origin") == true)
            }
        }
    }

    /// Routes that change something, name an owner or stream stay closed to pages, and so do the rest.
    @Test func pagesMayReadNothingButAvailability() async throws {
        try await withPages { client, _ in
            for call in [
                ("POST", "/v1/availability", #"{"handles":["janeroe"]}"#), ("GET", "/v1/handles/janeroe", nil),
                ("PUT", "/v1/handles/janeroe", #"{"owner":"jane"}"#), ("POST", "/v1/holds", "{}"),
                ("GET", "/v1/owners/jane/handles", nil), ("GET", "/version", nil), ("GET", "/openapi.json", nil),
                ("OPTIONS", "/v1/handles/janeroe", nil), ("OPTIONS", "/v1/availability/watch", nil),
            ] as [(String, String, String?)] {
                let answer = try await client.send(
                    call.0, call.1, call.2, headers: ["Origin": Self.ours, "Access-Control-Request-Method": "GET"])
                #expect(allowed(answer) == nil && answer.headers["vary"] == nil, "\(call)")
            }
            for method in ["POST", "PUT", "DELETE", "PATCH", ""] {
                let preflight = try await client.send(
                    "OPTIONS", "/v1/availability",
                    headers: ["Origin": Self.ours, "Access-Control-Request-Method": method])
                #expect(preflight.status == 405 && allowed(preflight) == nil, "\(method)")
            }
        }
    }

    @Test func crossOriginHeadersAreMissingWithoutConfiguredOrigins() async throws {
        try await withServer { _, anonymous in
            let answer = try await anonymous.send("GET", Self.reads[0], headers: ["Origin": Self.ours])
            #expect(allowed(answer) == nil && answer.headers["vary"] == nil)
            let preflight = try await anonymous.send(
                "OPTIONS", Self.reads[0], headers: ["Origin": Self.ours, "Access-Control-Request-Method": "GET"])
            #expect(preflight.status == 405)
        }
    }

    @Test(arguments: [
        "https://app.example", "http://localhost:3000", "https://xn--bcher-kva.example", "http://[::1]:8080",
        "https://127.0.0.1", "https://a_b.example:8443",
    ])
    func originsAsBrowsersSendThemAreAccepted(_ origin: String) throws { _ = try PageOrigins([origin]) }

    @Test(arguments: [
        "*", "null", "app.example", "https://", "https://app.example/", "https://App.example",
        "https://app.example:443",
        "http://localhost:80", "https://app.example:", "https://app.example:0", "https://app.example:65536",
        "https://app.example:8x", "https://*.example", "https://user@app.example", "https://app.example?x",
        "ftp://app.example",
        "https://a..example", "https://[::1", "https://bücher.example", "https://-a.example", "HTTPS://app.example",
    ])
    func textsThatNoBrowserSendsAreRefusedAsOrigins(_ text: String) {
        #expect(throws: PageOrigins.Unusable.self) { try PageOrigins([text]) }
    }
}
