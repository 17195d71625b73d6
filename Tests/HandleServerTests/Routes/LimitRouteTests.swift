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

    @Test func ownerThatGaveUpThreeNamesGets422ForAFurtherOne() async throws {
        try await withServer { client, _ in
            let names = (0..<5).map { distinctName($0) }
            func claim(_ name: String) async throws -> HTTPAnswer {
                try await client.send("PUT", "/v1/handles/\(name)", #"{"owner":"one"}"#)
            }
            for name in names[..<3] {
                #expect(try await claim(name).status == 201)
                #expect(try await client.send("DELETE", "/v1/handles/\(name)").status == 204)
            }
            let answer = try await claim(names[3])
            #expect(answer.status == 422 && answer.json["code"] as? String == "too_many_changes")
            let until = try #require(answer.json["until"] as? String)
            #expect((answer.json["reasons"] as? [[String: Any]])?.first?["until"] as? String == until)
            let wait = try #require(answer.headers["retry-after"].flatMap { Int($0) })
            // Both moments are rounded up.
            #expect((1...30 * 86400 + 1).contains(wait))
            let check = try await client.send("GET", "/v1/availability?handle=\(names[3])&owner=one")
            #expect(check.reasonCodes == ["too_many_changes"])
            // The way back is open. Then one more change is possible.
            #expect(try await claim(names[0]).status == 201)
            var statuses: [Int] = []
            for (old, new) in [(names[0], names[3]), (names[3], names[4])] {
                let rename = #"{"to":"\#(new)","owner":"one"}"#
                statuses.append(try await client.send("POST", "/v1/handles/\(old)/rename", rename).status)
            }
            #expect(statuses == [200, 422])
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
