import HandleRegistry
import HandleServer
import TestService
import TestSupport
import Testing

/// Requests by web pages of other origins (CORS).
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
                let answer = try await anonymous.send(
                    "OPTIONS", path,
                    headers: [
                        "Origin": Self.ours, "Access-Control-Request-Method": "GET",
                        "Access-Control-Request-Headers": "x-request-id",
                    ])
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

    // MARK: With the token of a person

    private func withTokenPages(
        _ body: @escaping @Sendable (_ client: HTTPClient, _ anonymous: HTTPClient) async throws -> Void
    ) async throws {
        let origins = try PageOrigins([Self.ours])
        try await withServer(
            typingPause: .zero, tokens: UnsignedToken.verifier(), configure: { $0.pageOrigins = origins }, body)
    }

    @Test func pagesMakeTheCallsOfAPersonWithTheToken() async throws {
        try await withTokenPages { _, anonymous in
            let headers = ["Origin": Self.ours, "Authorization": "Bearer \(UnsignedToken.make(for: "jane"))"]
            for (method, path, body, status) in [
                ("GET", "/v1/availability?handle=janeroe", nil, 200),
                ("POST", "/v1/holds", #"{"handle":"janeroe"}"#, 201), ("PUT", "/v1/handles/JaneRoe", "{}", 201),
                ("PATCH", "/v1/handles/janeroe", #"{"display":"JANEROE"}"#, 200),
                ("GET", "/v1/owners/me/handles", nil, 200),
                ("POST", "/v1/handles/janeroe/rename", #"{"to":"roe_jane"}"#, 200),
                ("GET", "/v1/handles/roe_jane", nil, 200), ("DELETE", "/v1/handles/roe_jane", nil, 204),
                ("PUT", "/v1/handles/admin", "{}", 422),
            ] as [(String, String, String?, Int)] {
                let answer = try await anonymous.send(method, path, body, headers: headers)
                #expect(answer.status == status, "\(method) \(path): \(answer.body)")
                #expect(allowed(answer) == Self.ours && answer.headers["vary"] == "Origin", "\(method) \(path)")
                #expect(answer.headers["access-control-allow-credentials"] == nil)
                let preflight = try await anonymous.send(
                    "OPTIONS", path, headers: ["Origin": Self.ours, "Access-Control-Request-Method": method])
                #expect(preflight.status == 204 && allowed(preflight) == Self.ours, "\(method) \(path)")
                #expect(preflight.headers["access-control-allow-headers"]?.hasPrefix("authorization, ") == true)
                #expect(preflight.headers["access-control-allow-methods"]?.contains(method) == true)
            }
        }
    }

    /// A page learns that its sign-in has ended or is missing.
    @Test func pagesMayReadThatATokenIsRefused() async throws {
        let origins = try PageOrigins([Self.ours])
        try await withServer(
            tokens: UnsignedToken.verifier(refusing: .expired), configure: { $0.pageOrigins = origins }
        ) {
            _, anonymous in
            for credential in ["Bearer \(UnsignedToken.make(for: "jane"))", nil] {
                var headers = ["Origin": Self.ours]
                headers["Authorization"] = credential
                let answer = try await anonymous.send("GET", "/v1/owners/me/handles", headers: headers)
                #expect(answer.status == 401 && allowed(answer) == Self.ours)
            }
        }
    }

    @Test func answersToAKeyAreNotReadableForPages() async throws {
        try await withTokenPages { client, _ in
            for (method, path, body) in [
                ("GET", "/v1/availability?handle=janeroe", nil), ("PUT", "/v1/handles/janeroe", #"{"owner":"jane"}"#),
                ("GET", "/v1/handles/janeroe", nil), ("GET", "/v1/owners/jane/handles", nil),
            ] as [(String, String, String?)] {
                let answer = try await client.send(method, path, body, headers: ["Origin": Self.ours])
                #expect([200, 201].contains(answer.status) && allowed(answer) == nil, "\(method) \(path)")
            }
        }
    }

    @Test(arguments: [
        ("GET", "/v1/owners/jane/handles"), ("DELETE", "/v1/owners/me"), ("GET", "/metrics"),
        ("GET", "/v1/availability/watch"), ("POST", "/v1/availability"), ("PUT", "/v1/holds"),
    ])
    func callsThatAreNotOfAPersonStayClosed(_ method: String, _ path: String) async throws {
        try await withTokenPages { _, anonymous in
            let preflight = try await anonymous.send(
                "OPTIONS", path, headers: ["Origin": Self.ours, "Access-Control-Request-Method": method])
            #expect(preflight.status == 405 && allowed(preflight) == nil)
        }
    }

    // MARK: Configuration

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
