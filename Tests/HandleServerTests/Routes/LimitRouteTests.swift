import HandleRegistry
import TestSupport
import Testing

@Suite struct LimitRouteTests {
    @Test func claimOrHoldForAFullOwnerGets422() async throws {
        try await withServer(freshRegistry(policy: Policy())) { client, _ in
            _ = try await client.send("PUT", "/v1/handles/first_name", #"{"owner":"one"}"#)
            for (method, path, body) in [
                ("PUT", "/v1/handles/second_name", #"{"owner":"one"}"#),
                ("POST", "/v1/holds", #"{"handle":"second_name","owner":"one"}"#),
            ] {
                let answer = try await client.send(method, path, body)
                #expect(answer.status == 422)
                #expect(answer.reasonCodes == ["owner_full"])
                #expect((answer.json["reasons"] as? [[String: Any]])?.first?["limit"] as? Int == 1)
            }
        }
    }

    @Test func secondHoldOfANameByItsOwnerGets429DuringThePause() async throws {
        try await withServer(freshRegistry(policy: Policy())) { client, _ in
            let hold = #"{"handle":"first_name","owner":"one"}"#
            #expect(try await client.send("POST", "/v1/holds", hold).status == 201)
            #expect(try await client.send("DELETE", "/v1/handles/first_name").status == 204)
            let answer = try await client.send("POST", "/v1/holds", hold)
            #expect(answer.status == 429)
            #expect(answer.json["code"] as? String == "hold_paused")
            let pause = try #require(answer.headers["retry-after"].flatMap { Int($0) })
            #expect((1...600).contains(pause))
            #expect(try await client.send("PUT", "/v1/handles/first_name", #"{"owner":"one"}"#).status == 201)
        }
    }

    @Test func originalOfALookalikeIsShownOnlyWithAKey() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        try await withServer(registry) { client, anonymous in
            for (asker, original) in [(client, "acme"), (anonymous, nil)] {
                let answer = try await asker.send("GET", "/v1/availability?handle=acrne")
                #expect(answer.reasonCodes == ["lookalike"])
                let reason = (answer.json["reasons"] as? [[String: Any]])?.first
                #expect(reason?["original"] as? String == original)
            }
        }
    }
}
