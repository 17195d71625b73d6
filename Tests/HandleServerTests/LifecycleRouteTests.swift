import Foundation
import HandleRegistry
import TestSupport
import Testing

@Suite struct RenameRouteTests {
    @Test func renamesForTheOwner() async throws {
        try await withServer { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/old_name", #"{"owner":"one"}"#)
            let renamed = try await client.send(
                "POST", "/v1/handles/old_name/rename", #"{"to":"Later_Name","owner":"one"}"#)
            #expect(renamed.status == 200)
            #expect(renamed.json["handle"] as? String == "later_name")
            #expect(renamed.json["display"] as? String == "Later_Name")
            #expect(try await client.send("GET", "/v1/handles/old_name").json["state"] as? String == "quarantined")
            #expect(try await client.send("GET", "/v1/handles/old_name").json["owner"] is NSNull)
            #expect(try await client.send("PUT", "/v1/handles/old_name", #"{"owner":"two"}"#).status == 409)
            let again = try await client.send(
                "POST", "/v1/handles/old_name/rename", #"{"to":"later_name","owner":"one"}"#)
            #expect(again.status == 200)
            for (path, body, status, code) in [
                ("later_name", #"{"to":"another","owner":"two"}"#, 409, "not_theirs"),
                ("nobodys", #"{"to":"another","owner":"two"}"#, 404, "no_such_handle"),
                ("later_name", #"{"to":"x","owner":"one"}"#, 422, "too_short"),
                ("later_name", #"{"to":"admin","owner":"one"}"#, 422, "reserved_word"),
                ("later_name", #"{"to":"another"}"#, 400, "missing_field"),
            ] {
                let answer = try await client.send("POST", "/v1/handles/\(path)/rename", body)
                #expect(answer.status == status && answer.json["code"] as? String == code, "\(body): \(answer.body)")
            }
            #expect(
                try await anonymous.send("POST", "/v1/handles/later_name/rename", #"{"to":"x_y","owner":"one"}"#).status
                    == 401)
        }
    }

    @Test func forgetsADeletedOwner() async throws {
        try await withServer { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/first_name", #"{"owner":"urn:user/1"}"#)
            #expect(try await anonymous.send("DELETE", "/v1/owners/urn%3Auser%2F1").status == 401)
            for _ in 0..<2 {
                let answer = try await client.send("DELETE", "/v1/owners/urn%3Auser%2F1")
                #expect(answer.status == 204 && answer.body.isEmpty)
            }
            #expect(try await client.send("GET", "/v1/handles/first_name").json["state"] as? String == "quarantined")
            #expect(try await client.send("PUT", "/v1/handles/first_name", #"{"owner":"else"}"#).status == 409)
            #expect(try await client.send("PUT", "/v1/handles/first_name", #"{"owner":"urn:user/1"}"#).status == 201)
        }
    }
}

@Suite struct LimitRouteTests {
    @Test func saysThatTheOwnerIsFull() async throws {
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

    @Test func asksForAPauseBetweenHolds() async throws {
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

    @Test func tellsWhatANameLooksLikeOnlyToKeyHolders() async throws {
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

@Suite struct IdempotencyKeyTests {
    @Test func repeatsEveryWriteByteForByte() async throws {
        try await withServer { client, _ in
            let writes: [(String, String, String?, Int)] = [
                ("POST", "/v1/holds", #"{"handle":"johndoe","owner":"one"}"#, 201),
                ("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#, 201),
                ("PUT", "/v1/handles/johndoe", #"{"owner":"two"}"#, 409),
                ("PUT", "/v1/handles/adm1n", #"{"owner":"two"}"#, 422),
                ("PATCH", "/v1/handles/johndoe", #"{"display":"JohnDoe"}"#, 200),
                ("POST", "/v1/handles/johndoe/rename", #"{"to":"jane_doe","owner":"one"}"#, 200),
                ("DELETE", "/v1/handles/jane_doe", nil, 204),
                ("DELETE", "/v1/handles/nobody_has", nil, 404), ("DELETE", "/v1/owners/one", nil, 204),
            ]
            var first: [HTTPAnswer] = []
            for (number, (method, path, body, status)) in writes.enumerated() {
                let answer = try await client.send(method, path, body, headers: ["Idempotency-Key": "key-\(number)"])
                #expect(answer.status == status, "\(method) \(path)")
                first.append(answer)
            }
            for (number, (method, path, body, _)) in writes.enumerated() {
                let answer = try await client.send(method, path, body, headers: ["Idempotency-Key": "key-\(number)"])
                #expect(answer.status == first[number].status && answer.body == first[number].body)
                for name in ["etag", "content-type", "cache-control"] {
                    #expect(answer.headers[name] == first[number].headers[name])
                }
            }
        }
    }

    @Test func belongsToOneRequest() async throws {
        try await withServer { client, _ in
            let key = ["Idempotency-Key": "8e03978e-40d5-43e8-bc93-6894a57f9324"]
            #expect(
                try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#, headers: key).status == 201)
            for (path, body) in [
                ("/v1/handles/johndoe", #"{"owner":"two"}"#), ("/v1/handles/jane_doe", #"{"owner":"one"}"#),
            ] {
                let answer = try await client.send("PUT", path, body, headers: key)
                #expect(answer.status == 422)
                #expect(answer.json["code"] as? String == "idempotency_key_reused")
            }
            #expect(try await client.send("GET", "/v1/handles/jane_doe").status == 404)
        }
    }

    /// Whoever is deleted may come back, before the caller has heard that they were deleted.
    @Test func forgetsAnOwnerOnce() async throws {
        try await withServer { client, _ in
            let key = ["Idempotency-Key": "d0c0b5b6-0f3b-4c55-9a6e-1a3c1b1f7f2e"]
            func claim() async throws -> Int {
                try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#).status
            }
            func forget(_ owner: String) async throws -> HTTPAnswer {
                try await client.send("DELETE", "/v1/owners/\(owner)", headers: key)
            }
            #expect(try await claim() == 201)
            #expect(try await forget("one").status == 204)
            #expect(try await claim() == 201)
            #expect(try await forget("one").status == 204)
            #expect(try await client.send("GET", "/v1/handles/johndoe").json["owner"] as? String == "one")
            let other = try await forget("two")
            #expect(other.status == 422 && other.json["code"] as? String == "idempotency_key_reused")
        }
    }

    @Test(arguments: ["two words", String(repeating: "x", count: 256), ""])
    func isRefusedWhenItIsNone(_ key: String) async throws {
        try await withServer { client, _ in
            let answer = try await client.send(
                "PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#, headers: ["Idempotency-Key": key])
            #expect(answer.status == 400)
            #expect(answer.json["code"] as? String == "invalid_idempotency_key")
        }
    }
}
