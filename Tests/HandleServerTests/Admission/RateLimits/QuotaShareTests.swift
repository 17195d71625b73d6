import HandleRegistry
import TestSupport
import Testing

@testable import HandleServer

/// Callers use up their own quota and that of their networks, but not the quotas of others.
@Suite struct QuotaShareTests {
    private let check = "/v1/availability?handle=admin"

    private func ask(_ client: HTTPClient, from address: String) async throws -> HTTPAnswer {
        try await client.send("GET", check, headers: ["X-Forwarded-For": address])
    }

    @Test func largerIPv6NetworksHaveQuotasOfTheirOwn() async throws {
        try await withServer(configure: {
            $0.limits.anonymous = Rate(10, perSeconds: 3_000_000)
            $0.trustedProxies = $0.neighbours
        }) { _, anonymous in
            var answers: [HTTPAnswer] = []
            let begin = ContinuousClock.now
            for subscriber in 0..<20 {
                for _ in 0..<10 { answers.append(try await ask(anonymous, from: "2001:db8:0:\(subscriber)::1")) }
            }
            #expect(answers.count { $0.status == 200 } == 40)
            let refused = try #require(answers.last)
            #expect(refused.status == 429)
            #expect(refused.headers["ratelimit-policy"] == #""network/56";q=40;w=3000000"#)
            #expect(refused.headers["ratelimit"]?.hasPrefix(#""network/56";r=0;t="#) == true)
            // The quota of 56 bits refills by one call every 75,000 seconds, some of which have passed.
            let over = Int((ContinuousClock.now - begin).components.seconds)
            let wait = try #require(refused.headers["retry-after"].flatMap { Int($0) })
            #expect((74_999 - over...75_000).contains(wait))
            // Other networks in the same 48 bits are allowed until the quota of the 48 bits is used up.
            var others = 0
            for site in 1..<20 {
                for call in 0..<20 {
                    let address = "2001:db8:0:\(String(site * 256 + call, radix: 16))::1"
                    if try await ask(anonymous, from: address).status == 200 { others += 1 }
                }
            }
            #expect(others == 120)
            let stranger = try await ask(anonymous, from: "2001:db8:1::1")
            #expect(stranger.status == 200)
        }
    }

    @Test(.timeLimit(.minutes(5))) func anonymousCallersDoNotUseUpTheQuotasOfOthers() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let key = try await store.newKey([.read], rate: Rate(3, perSeconds: 6_000)).text
        try await withServer(
            registry, keys: store,
            configure: {
                $0.limits.anonymous = Rate(2, perSeconds: 30_000)
                $0.limits.rememberedCallers = 16
                $0.trustedProxies = $0.neighbours
            }
        ) { _, anonymous in
            // Two networks with more addresses than the limiter remembers use up their quotas.
            for number in 0..<200 {
                _ = try await ask(anonymous, from: "10.1.\(number).1")
                _ = try await ask(anonymous, from: "2001:db8:0:\(String(number * 256, radix: 16))::1")
            }
            let crowd = [
                try await ask(anonymous, from: "10.1.250.1"), try await ask(anonymous, from: "2001:db8:0:ff00::1"),
            ]
            #expect(crowd.map(\.status) == [429, 429])
            let partner = HTTPClient(port: anonymous.port, key: key)
            for left in (0..<3).reversed() {
                let answer = try await ask(partner, from: "10.1.0.1")
                #expect(answer.status == 200 && answer.headers["ratelimit"]?.hasPrefix(#""key";r=\#(left);"#) == true)
            }
            for address in ["10.2.0.1", "192.0.2.1", "2001:db8:1::1", "2001:db8:ffff::1"] {
                let stranger = try await ask(anonymous, from: address)
                #expect(stranger.status == 200, "\(address)")
            }
        }
    }
}
