import HandleRegistry
import HandleServer
import Postgres
import TestSupport
import Testing

/// The rate limits of one caller and of all callers together, and the limits on concurrent requests and bodies.
@Suite struct QuotaTests {
    private let check = "/v1/availability?handle=admin"

    /// Checks a batch of names.
    private func ask(_ client: HTTPClient, _ count: Int) async throws -> HTTPAnswer {
        let names = (0..<count).map { #""name_\#($0)""# }.joined(separator: ",")
        return try await client.send("POST", "/v1/availability", #"{"handles":[\#(names)]}"#)
    }

    @Test func anonymousCallersHaveAQuotaPerAddress() async throws {
        try await withServer(configure: {
            $0.limits.anonymous = Rate(5, perSeconds: 30_000)
            $0.trustedProxies = [AddressRange("127.0.0.0/8")].compactMap(\.self)
        }) { [check] client, anonymous in
            func ask(_ address: String) async throws -> HTTPAnswer {
                try await anonymous.send("GET", check, headers: ["X-Forwarded-For": address])
            }
            for left in (0..<5).reversed() {
                let answer = try await ask("2001:db8::\(left)")
                #expect(answer.status == 200)
                #expect(answer.headers["ratelimit-policy"] == #""anonymous";q=5;w=30000"#)
                #expect(answer.headers["ratelimit"]?.hasPrefix(#""anonymous";r=\#(left);t="#) == true)
            }
            let refused = try await ask("2001:db8::9")
            #expect(refused.status == 429 && refused.json["code"] as? String == "rate_limited")
            let wait = try #require(refused.headers["retry-after"].flatMap { Int($0) })
            #expect((5_900...6_000).contains(wait))
            #expect(refused.headers["ratelimit"]?.hasPrefix(#""anonymous";r=0;t="#) == true)
            // Other addresses, keys without a limit and probes are still allowed.
            let (other, keyed) = (try await ask("2001:db8:0:1::1"), try await client.send("GET", check))
            #expect(other.status == 200)
            #expect(keyed.status == 200 && keyed.headers["ratelimit"] == nil)
            let (alive, wrong) = (
                try await anonymous.send("GET", "/livez", headers: ["X-Forwarded-For": "2001:db8::9"]),
                try await anonymous.send(
                    "GET", check, headers: ["X-Forwarded-For": "2001:db8::9", "Authorization": "Bearer wrong"])
            )
            #expect(alive.status == 200)
            // Invalid keys use the anonymous quota, which limits guesses of a key.
            #expect(wrong.status == 429)
        }
    }

    /// Routes are matched by path segments, so one route has many spellings.
    @Test func noSpellingOfAPathEscapesTheQuota() async throws {
        try await withServer(configure: { $0.limits.anonymous = Rate(1, perSeconds: 300) }) { [check] _, anonymous in
            let counted = try await anonymous.send("GET", check)
            #expect(counted.status == 200)
            for target in [
                "/\(check)", "//\(check)", "/v1//availability?handle=admin", "/v1/availability/?handle=admin",
                "http://localhost\(check)", "http://localhost/\(check)", "/./v1/availability?handle=admin",
                "/%761/availability?handle=admin", "v1/availability?handle=admin",
                "//v1/availability/live?handle=admin&session=s&seq=1",
                "//v1/availability/watch?handle=admin", "//v1/handles/admin",
            ] {
                let request = "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                let answer = try await anonymous.send(raw: Array(request.utf8))
                #expect([400, 404, 429].contains(answer.status), "\(target): \(answer.status)")
                #expect(!answer.body.contains("reserved_word"), "\(target)")
            }
        }
    }

    @Test func eachNameOfABatchCountsAgainstTheQuota() async throws {
        try await withServer(configure: { $0.limits.anonymous = Rate(10, perSeconds: 30_000) }) { [self] _, anonymous in
            let (first, second, tooMany) = (
                try await ask(anonymous, 7), try await ask(anonymous, 4), try await ask(anonymous, 11)
            )
            #expect(first.status == 200 && first.headers["ratelimit"]?.contains("r=3;") == true)
            #expect(second.status == 429 && tooMany.status == 400)
            #expect(tooMany.json["code"] as? String == "too_many_handles")
        }
    }

    @Test func eachKeyHasItsOwnQuota() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let key = try await store.newKey([.claim], rate: Rate(3, perSeconds: 6_000))
        try await withServer(registry, keys: store, configure: { $0.limits.anonymous = Rate(1, perSeconds: 60) }) {
            [check] client, _ in
            let partner = HTTPClient(port: client.port, key: key.text)
            for left in (0..<3).reversed() {
                let answer = try await partner.send("GET", check)
                #expect(answer.headers["ratelimit"]?.hasPrefix(#""key";r=\#(left);t="#) == true)
            }
            let refused = try await partner.send("PUT", "/v1/handles/johndoe", #"{"owner":"u1"}"#)
            #expect(refused.status == 429)
            let free = try await client.send("GET", "/v1/handles/johndoe")
            #expect(free.status == 404)
        }
    }

    @Test func allCallersTogetherHaveAQuota() async throws {
        try await withServer(configure: { $0.limits.global = Rate(2, perSeconds: 6_000) }) {
            [check] client, anonymous in
            _ = (try await client.send("GET", check), try await anonymous.send("GET", check))
            let (refused, alive) = (try await client.send("GET", check), try await client.send("GET", "/metrics"))
            #expect(refused.status == 503 && refused.json["code"] as? String == "overloaded")
            #expect(refused.headers["retry-after"] == "1")
            #expect(alive.status == 200)
        }
    }

    @Test func callerOverTheirQuotaTakesNothingFromTheGlobalQuota() async throws {
        try await withServer(configure: {
            $0.limits.anonymous = Rate(1, perSeconds: 6_000)
            $0.limits.global = Rate(10, perSeconds: 6_000)
            $0.trustedProxies = [AddressRange("127.0.0.0/8")].compactMap(\.self)
        }) { [check] _, anonymous in
            func ask(_ address: String) async throws -> Int {
                try await anonymous.send("GET", check, headers: ["X-Forwarded-For": address]).status
            }
            var statuses: [Int] = []
            for _ in 0..<20 { statuses.append(try await ask("192.0.2.1")) }
            #expect(statuses == [200] + Array(repeating: 429, count: 19))
            let other = try await ask("192.0.2.2")
            #expect(other == 200)
        }
    }

    @Test(.timeLimit(.minutes(5))) func requestOverTheMemoryLimitOfAllBodiesGets503() async throws {
        try await withServer(configure: { $0.limits.bodiesBytes = 10_000 }) { [self] _, anonymous in
            let large = try await ask(anonymous, 1000)
            #expect(large.status == 503 && large.json["code"] as? String == "overloaded")
            // The bytes of a body are released with its request: together these bodies exceed the limit.
            for _ in 0..<5 {
                let answer = try await ask(anonymous, 500)
                #expect(answer.status == 200)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func requestOverTheConcurrencyLimitGets503() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        try await withServer(registry, configure: { $0.limits.inFlight = 3 }) { [check] client, anonymous in
            // The requests are in flight for as long as they wait for the table lock.
            let locker = try await LockedTable(in: database)
            try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
                for _ in 0..<3 {
                    group.addTask { try await anonymous.send("GET", "/v1/availability?handle=johndoe") }
                }
                try await client.waitForMetric("handles_requests_in_flight 3")
                let refused = try await client.send("GET", check)
                #expect(refused.status == 503 && refused.json["code"] as? String == "overloaded")
                try await locker.letGo()
                for try await answer in group { #expect(answer.status == 200) }
            }
            let again = try await client.send("GET", check)
            #expect(again.status == 200)
            // Neither the answered requests nor the refused one keep a slot.
            try await client.waitForMetric("handles_requests_in_flight 0")
        }
    }
}
