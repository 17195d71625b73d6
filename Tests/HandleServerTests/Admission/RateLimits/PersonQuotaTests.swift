import Foundation
import HandleRegistry
import HandleRules
import HandleServer
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import HandleServer

/// The quota of a caller with an identity token belongs to the person, not to the address.
@Suite struct PersonQuotaTests {
    private let check = "/v1/availability?handle=admin"

    /// A verifier that accepts `good.NAME.x`.
    private static let tokens = TokenVerifier { token, now throws(TokenFault) in
        let parts = token.split(separator: ".")
        guard parts[0] == "good", let owner = Owner("https://login.example|\(parts[1])") else { throw .wrongSignature }
        return Person(owner: owner, end: now + 300)
    }

    @Test func personHasAQuotaApartFromTheirAddress() async throws {
        try await withServer(tokens: Self.tokens, configure: { $0.limits.anonymous = Rate(3, perSeconds: 30_000) }) {
            [check] _, anonymous in
            let jane = HTTPClient(port: anonymous.port, key: "good.jane.x")
            for left in (0..<3).reversed() {
                let (first, stranger) = (try await jane.send("GET", check), try await anonymous.send("GET", check))
                #expect(first.status == 200 && stranger.status == 200)
                #expect(stranger.headers["ratelimit"]?.hasPrefix(#""anonymous";r=\#(left);"#) == true)
            }
            // The quota of the address is used up: requests without credentials or with invalid ones are refused.
            for key in [nil, "bad.jane.x", "wrong"] {
                let refused = try await HTTPClient(port: anonymous.port, key: key).send("GET", check)
                #expect(refused.status == 429)
            }
            let (known, new) = (
                try await jane.send("GET", check),
                try await HTTPClient(port: anonymous.port, key: "good.joe.x").send("PUT", "/v1/handles/johndoe", "{}")
            )
            #expect(known.status == 200 && new.status == 201)
        }
    }

    /// Verifying an invalid token takes as much processor time as a valid one.
    @Test func invalidTokensAreVerifiedOnlyWithinAQuota() async throws {
        let checks = NIOLockedValueBox<[String: Int]>([:])
        let tokens = TokenVerifier { token, now throws(TokenFault) in
            checks.withLockedValue { $0[String(token.prefix { $0 != "." }), default: 0] += 1 }
            return try await Self.tokens.verify(token, now)
        }
        try await withServer(tokens: tokens, configure: { $0.limits.anonymous = Rate(5, perSeconds: 30_000) }) {
            [check] _, anonymous in
            let jane = HTTPClient(port: anonymous.port, key: "good.jane.x")
            let signedIn = try await jane.send("GET", check)
            #expect(signedIn.status == 200)
            // The quota and the call share one verification of a token that no call has shown before.
            #expect(checks.withLockedValue { $0["good"] } == 1)
            for number in 0..<40 {
                let bad = HTTPClient(port: anonymous.port, key: "bad.\(number).x")
                let answer = try await bad.send("GET", check)
                #expect(answer.status == (number < 5 ? 401 : 429))
            }
            // Each call with an invalid token that the quota admits verifies it once.
            #expect(checks.withLockedValue { $0["bad"] } == 5)
            // A token that is known to be valid still works. A new one must wait, or come from another address.
            let (known, new) = (
                try await jane.send("GET", check),
                try await HTTPClient(port: anonymous.port, key: "good.joe.x").send("GET", check)
            )
            #expect(known.status == 200 && new.status == 429)
        }
    }

    @Test func personHasOneQuotaForAllTheirTokens() async throws {
        try await withServer(
            tokens: Self.tokens,
            configure: {
                $0.limits.person = Rate(3, perSeconds: 30_000)
                $0.trustedProxies = $0.neighbours
            }
        ) { [check] _, anonymous in
            func ask(_ token: String, _ address: String) async throws -> HTTPAnswer {
                try await HTTPClient(port: anonymous.port, key: token).send(
                    "GET", check, headers: ["X-Forwarded-For": address])
            }
            for left in (0..<3).reversed() {
                let answer = try await ask("good.jane.\(left)", "192.0.2.\(left)")
                #expect(answer.headers["ratelimit-policy"] == #""person";q=3;w=30000"#)
                #expect(answer.headers["ratelimit"]?.hasPrefix(#""person";r=\#(left);"#) == true)
            }
            let (refused, other) = (try await ask("good.jane.9", "192.0.2.9"), try await ask("good.joe.9", "192.0.2.9"))
            #expect(refused.status == 429 && other.status == 200)
        }
    }

    @Test func seenTokenIsRememberedUntilItExpiresInBoundedMemory() throws {
        let seen = SeenTokens(remembered: 100)
        let owner = try #require(Owner("https://login.example|jane"))
        let now = Date.now
        let person = Person(owner: owner, end: now + 60)
        for number in 0..<1000 {
            seen.note(person, [UInt8(number & 255), UInt8(number >> 8)])
            // A token that is shown again and again is not evicted.
            seen.note(person, [1, 2, 3])
            #expect(seen.person([1, 2, 3], at: now) == person)
        }
        #expect(seen.remembered <= 101)
        #expect(seen.person([1, 2, 3], at: now + 60) == nil)
        #expect(seen.person([0, 0], at: now) == nil)
    }
}
