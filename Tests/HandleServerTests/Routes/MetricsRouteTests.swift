import HandleRegistry
import HandleServer
import TestSupport
import Testing

/// Metrics are only for operators, in every spelling of the path.
@Suite struct MetricsRouteTests {
    private static let spellings = [
        "/metrics", "/metrics/", "//metrics", "///metrics//", "/./metrics", "/x/../metrics", "/%6detrics",
        "/metrics?x=1",
        "/metrics%2F", "/METRICS", "/metrics;x", "http://localhost/metrics", "http://localhost//metrics/", "metrics",
    ]

    private func answer(_ method: String, _ target: String, _ key: String?, _ client: HTTPClient) async throws
        -> HTTPAnswer
    {
        let credential = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let request = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(credential)\r\n"
        return try await client.send(raw: Array(request.utf8))
    }

    @Test func metricsNeedAKeyInEverySpellingOfThePath() async throws {
        try await withServer { [self] client, anonymous in
            for method in ["GET", "HEAD"] {
                for target in Self.spellings {
                    for key in [nil, "wrong-key"] {
                        let answer = try await answer(method, target, key, anonymous)
                        #expect([400, 401, 404].contains(answer.status), "\(method) \(target): \(answer.status)")
                        #expect(!answer.body.contains("handles_"), "\(method) \(target)")
                    }
                }
            }
            for target in ["/metrics", "/metrics/", "//metrics"] {
                let answer = try await answer("GET", target, client.key, client)
                #expect(answer.status == 200 && answer.body.contains("handles_connections "), "\(target)")
            }
        }
    }

    /// The anonymous quota limits guesses of a key. With a valid key, operators get the metrics even while the service
    /// refuses all other requests.
    @Test func metricsHaveNoQuotaWithAValidKeyAndTheAnonymousOneWithoutIt() async throws {
        try await withServer(configure: {
            $0.limits.anonymous = Rate(2, perSeconds: 30_000)
            $0.limits.inFlight = 0
        }) { client, anonymous in
            let refused = try await anonymous.send("GET", "/metrics")
            #expect(refused.status == 503)
            for _ in 0..<3 { #expect(try await client.send("GET", "/metrics").status == 200) }
        }
        try await withServer(configure: { $0.limits.anonymous = Rate(2, perSeconds: 30_000) }) { client, anonymous in
            let wrong = HTTPClient(port: client.port, key: "wrong-key")
            var statuses: [Int] = []
            for _ in 0..<2 { statuses.append(try await wrong.send("GET", "//metrics/").status) }
            statuses.append(try await wrong.send("GET", "/metrics").status)
            statuses.append(try await anonymous.send("GET", "/v1/availability?handle=admin").status)
            #expect(statuses == [401, 401, 429, 429])
            for _ in 0..<3 { #expect(try await client.send("GET", "/metrics").status == 200) }
        }
    }

    /// The route that answers decides whether a request is exempt, not the text of the path.
    @Test func concurrencyLimitExemptsTheProbesAndNoPathThatLooksLikeThem() async throws {
        try await withServer(configure: { $0.limits.inFlight = 0 }) { [self] _, anonymous in
            for target in ["/livez", "//livez", "/livez/", "/readyz", "/readyz/"] {
                let answer = try await answer("GET", target, nil, anonymous)
                #expect(answer.status == 200, "\(target): \(answer.status)")
            }
            for target in [
                "/livez/x", "/v1/availability?handle=/livez", "/livez/../v1/availability?handle=admin", "/version",
                "/%6civez", "/x/livez",
            ] {
                let answer = try await answer("GET", target, nil, anonymous)
                #expect(answer.status == 503, "\(target): \(answer.status)")
            }
        }
    }
}
