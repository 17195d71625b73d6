import Foundation
import HandleRegistry
import HandleRules
import HandleServer
import Postgres
import TestSupport
import Testing

/// Direct checks over a socket, beside the calls that the router answers.
@Suite(.timeLimit(.minutes(5))) struct DirectCheckRouteTests {
    private static let ours = "https://app.example"

    /// A request with a body is left to the router.
    private func answers(
        _ client: HTTPClient, _ query: String, _ headers: [String: String]
    ) async throws -> (direct: HTTPAnswer, routed: HTTPAnswer) {
        let path = "/v1/availability?\(query)"
        return (
            try await client.send("GET", path, headers: headers),
            try await client.send("GET", path, "{}", headers: headers)
        )
    }

    /// The fields that differ between any two responses.
    private static let changing: Set = ["x-request-id", "traceparent", "date", "ratelimit"]

    @Test(arguments: [
        [:], ["Origin": ours], ["Origin": "https://evil.example"], ["X-Request-Id": "shop-4711"],
        ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
    ])
    func directCheckGetsTheResponseOfTheRouter(_ headers: [String: String]) async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("JohnDoe", for: try #require(Owner("one")))
        let origins = try PageOrigins([Self.ours])
        try await withServer(
            registry,
            configure: {
                $0.pageOrigins = origins
                $0.limits.anonymous = Rate(1000, perSeconds: 300)
            }
        ) { client, anonymous in
            for query in [
                "handle=zebra_one", "handle=%40JohnDoe&suggestions=0", "handle=admin&suggestions=0",
                "handle=a.&suggestions=0", "handle=&suggestions=0", "handle=johnd0e&suggestions=0", "handle=Zebra_One",
                "handle=a&suggestions=x", "handle=a&suggestions=21", "handle=a&handle=b", "name=Olga", "handle=%4",
                "handle=\(String(repeating: "x", count: 201))", "handle=zebra_one&owner=one",
                "handle=johndoe&owner=one&suggestions=0",
                "handle=a&name=\(String(repeating: "x", count: 257))",
                "handle=a&x=\(String(repeating: "x", count: 13_000))",
            ] {
                for client in [client, anonymous] {
                    let (direct, routed) = try await answers(client, query, headers)
                    #expect(direct.status == routed.status && direct.body == routed.body, "\(query)")
                    #expect(Set(direct.headers.keys) == Set(routed.headers.keys), "\(query)")
                    for (name, value) in routed.headers where !Self.changing.contains(name) {
                        #expect(direct.headers[name] == value, "\(query): \(name)")
                    }
                }
            }
            for name in ["john_doe", "JohnDoe", "admin", "no"] {
                let (direct, routed) = try await answers(anonymous, "handle=\(name)&name=Olga", headers)
                let counts = [direct, routed].map { ($0.json["suggestions"] as? [Any])?.count }
                #expect(counts[0] == counts[1], "\(name)")
            }
        }
    }

    @Test func callsOfOneConnectionAreAnsweredInTheirOrder() async throws {
        try await withServer { _, anonymous in
            let paths = [
                "/v1/availability?handle=name_one", "/version", "/v1/availability?handle=name_two",
                "/v1/availability?handle=name_three", "/v1/availability?handle=x&suggestions=x", "/livez",
                "/v1/availability?handle=name_four",
            ]
            let requests = paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
            let answer = try await anonymous.send(raw: Array(requests.utf8), isAll: true)
            // The head of the first response is not in the body.
            let marks = answer.body.matches(of: /"input":"(\w+)"|HTTP\/1\.1 (\d+)/).map { $0.1 ?? $0.2 ?? "" }
            #expect(
                marks == [
                    "name_one", "200", "200", "name_two", "200", "name_three", "400", "200", "200", "name_four",
                ])
        }
    }

    /// Each is answered in its own turn of the event loop, so the stack does not grow with them.
    @Test func longPipelineOfRefusedChecksIsAnswered() async throws {
        try await withServer(configure: { $0.limits.anonymous = Rate(1, perSeconds: 3600) }) { _, anonymous in
            let requests = "GET /v1/availability?handle=a HTTP/1.1\r\nHost: x\r\n\r\n"
            let answer = try await anonymous.send(
                raw: Array(String(repeating: requests, count: 1000).utf8), isAll: true)
            #expect(answer.status == 200)
            #expect(answer.body.components(separatedBy: "HTTP/1.1 429 ").count == 1000)
        }
    }

    /// Checks that wait together are answered together, from many connections.
    @Test func manyConnectionsGetTheirOwnAnswers() async throws {
        let registry = try await freshRegistry()
        for number in 0..<20 { _ = try await registry.claim("taken_\(number)", for: try #require(Owner("one"))) }
        try await withServer(registry) { _, anonymous in
            try await withThrowingTaskGroup(of: (String, HTTPAnswer).self) { group in
                for number in 0..<200 {
                    let name = number % 2 == 0 ? "taken_\(number / 10)" : "zebra_\(number)"
                    group.addTask { (name, try await anonymous.send("GET", "/v1/availability?handle=\(name)")) }
                }
                for try await (name, answer) in group {
                    #expect(answer.json["input"] as? String == name)
                    #expect(answer.json["status"] as? String == (name.hasPrefix("zebra") ? "available" : "unavailable"))
                    let suggestions = answer.json["suggestions"] as? [Any]
                    #expect(suggestions?.count == (name.hasPrefix("zebra") ? 0 : 5))
                }
            }
        }
    }

    /// A client may close its side once it has sent its last request.
    @Test func clientThatHasClosedItsSideGetsTheResponse() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let locker = try await LockedTable(in: database)
        let registry = try Registry(pool: patientPool(database))
        try await withServer(registry) { _, anonymous in
            let request = "GET /v1/availability?handle=johndoe HTTP/1.1\r\nHost: x\r\n\r\n"
            async let answer = anonymous.send(raw: Array(request.utf8), isAll: true)
            try await eventually("the check is under way") { try await waitingForLocks(on: database) > 0 }
            // Meanwhile the service sees the end.
            for _ in 0..<40 { _ = try await anonymous.send("GET", "/livez") }
            try await locker.letGo()
            let (status, body) = try await (answer.status, answer.body)
            #expect(status == 200 && body.contains("available"))
        }
    }
}
