import Foundation
import TestSupport
import Testing

@Suite struct HandleRouteTests {
    @Test func nameGoesFromHoldToClaimToQuarantine() async throws {
        try await withServer { client, anonymous in
            let hold = try await client.send(
                "POST", "/v1/holds", #"{"handle":"JohnDoe","owner":"one","ttl_seconds":60}"#)
            #expect(hold.status == 201)
            let again = try await client.send("POST", "/v1/holds", #"{"handle":"johndoe","owner":"one"}"#)
            #expect(again.status == 200)
            #expect(again.body == hold.body)
            #expect(try await client.send("POST", "/v1/holds", #"{"handle":"johndoe","owner":"two"}"#).status == 409)
            let secret = try #require(hold.json["hold"] as? String)
            let claim = try await client.send("PUT", "/v1/handles/JohnDoe", #"{"owner":"user","hold":"\#(secret)"}"#)
            #expect(claim.status == 201)
            #expect(claim.headers["etag"] == "\"2\"")
            #expect(try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"user"}"#).status == 200)
            let loser = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"else"}"#)
            #expect(loser.status == 409)
            #expect(loser.json["code"] as? String == "taken")
            let shown = try await anonymous.send("GET", "/v1/handles/@johndoe")
            #expect(shown.status == 200)
            #expect(shown.json["display"] as? String == "JohnDoe")
            #expect(shown.json["owner"] == nil)
            let recased = try await client.send("PATCH", "/v1/handles/johndoe", #"{"display":"JOHNdoe"}"#)
            #expect(recased.json["display"] as? String == "JOHNdoe")
            #expect(try await client.send("PATCH", "/v1/handles/johndoe", #"{"display":"Jane"}"#).status == 422)
            let owned = try await client.send("GET", "/v1/owners/user/handles")
            #expect((owned.json["handles"] as? [[String: Any]])?.first?["handle"] as? String == "johndoe")
            #expect(try await client.send("DELETE", "/v1/handles/johndoe").status == 204)
            #expect(try await client.send("DELETE", "/v1/handles/johndoe").status == 204)
            #expect(try await anonymous.send("GET", "/v1/handles/johndoe").status == 404)
            #expect(try await client.send("GET", "/v1/handles/johndoe").json["state"] as? String == "quarantined")
            #expect(try await client.send("DELETE", "/v1/handles/nobody_has").status == 404)
        }
    }

    @Test func displayHandleMustBeTheClaimedNameInOtherCapitals() async throws {
        try await withServer { client, _ in
            let claim = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one","display":"JohnDoe"}"#)
            #expect(claim.json["display"] as? String == "JohnDoe")
            let other = try await client.send("PUT", "/v1/handles/janedoe", #"{"owner":"one","display":"JohnDoe"}"#)
            #expect(other.status == 422)
            #expect(other.json["code"] as? String == "display_mismatch")
        }
    }

    @Test func invalidClaimGets422WithAllReasons() async throws {
        try await withServer { client, _ in
            let answer = try await client.send("PUT", "/v1/handles/_a-b", #"{"owner":"one"}"#)
            #expect(answer.status == 422)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.reasonCodes == ["invalid_character", "leading_underscore"])
            #expect(
                try await client.send("PUT", "/v1/handles/adm1n", #"{"owner":"one"}"#).reasonCodes == ["reserved_word"])
        }
    }

    /// The central promise of the service.
    @Test func exactlyOneOf64ConcurrentClaimsOfANameWins() async throws {
        try await withServer { client, _ in
            for round in 0..<10 {
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for racer in 0..<64 {
                        group.addTask {
                            try await client.send("PUT", "/v1/handles/Race_\(round)", #"{"owner":"racer-\#(racer)"}"#)
                                .status
                        }
                    }
                    return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
                }
                #expect(statuses == [201: 1, 409: 63])
            }
        }
    }
}
