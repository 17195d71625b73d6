import Foundation
import HandleRegistry
import TestSupport
import Testing

@Suite struct RenameRouteTests {
    @Test func renameIsMadeOnlyForTheOwner() async throws {
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

    @Test func deletingAnOwnerQuarantinesTheirNames() async throws {
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

/// `If-Match` and `?owner=` keep a change that is meant for one owner's name from the next owner's.
@Suite struct PreconditionTests {
    @Test func repeatedReleaseDoesNotReleaseTheNextOwnersHold() async throws {
        try await withServer { client, _ in
            func hold(_ owner: String) async throws -> String? {
                try await client.send("POST", "/v1/holds", #"{"handle":"abc_name","owner":"\#(owner)"}"#).headers[
                    "etag"]
            }
            let path = "/v1/handles/abc_name"
            _ = try await hold("one")
            let before = try #require(try await client.send("GET", path).headers["etag"])
            let first = try await client.send("DELETE", path, headers: ["If-Match": before])
            #expect(first.status == 204)
            _ = try await hold("two")
            for (query, headers) in [
                ("", ["If-Match": before]), ("?owner=one", [:]), ("?owner=one", ["If-Match": "*"]),
                ("", ["If-Match": "\"x\", W/\"2\", \"\""]), ("", ["If-Match": "2"]),
            ] {
                let repeated = try await client.send("DELETE", path + query, headers: headers)
                #expect(repeated.status == 412 && repeated.json["code"] as? String == "precondition_failed")
            }
            let kept = try await client.send("GET", path)
            #expect(kept.json["owner"] as? String == "two")
            let now = try #require(kept.headers["etag"])
            let right = try await client.send(
                "DELETE", path + "?owner=two", headers: ["If-Match": "\"77\" , \(now)"])
            #expect(right.status == 204)
            let wrong = try await client.send("DELETE", path + "?owner=a&owner=b")
            #expect(wrong.status == 400 && wrong.json["code"] as? String == "repeated_parameter")
        }
    }

    /// A name in quarantine was released by its last owner, so only that owner's release succeeds again.
    @Test func formerOwnerMayRepeatTheRelease() async throws {
        try await withServer { client, _ in
            _ = try await client.send("PUT", "/v1/handles/abc_name", #"{"owner":"one"}"#)
            var statuses: [Int] = []
            for owner in ["two", "one", "one", "two"] {
                statuses.append(try await client.send("DELETE", "/v1/handles/abc_name?owner=\(owner)").status)
            }
            #expect(statuses == [412, 204, 204, 412])
        }
    }

    @Test func recaseAndRenameCheckIfMatch() async throws {
        try await withServer { client, _ in
            _ = try await client.send("PUT", "/v1/handles/abc_name", #"{"owner":"one"}"#)
            let path = "/v1/handles/abc_name"
            func change(_ tag: String) async throws -> [Int] {
                let headers = ["If-Match": tag]
                return [
                    try await client.send("PATCH", path, #"{"display":"ABC_name"}"#, headers: headers).status,
                    try await client.send(
                        "POST", path + "/rename", #"{"to":"abc_other","owner":"one"}"#, headers: headers
                    ).status,
                ]
            }
            #expect(try await change("\"9\"") == [412, 412])
            let record = try await client.send("GET", path)
            #expect(record.json["display"] as? String == "abc_name")
            #expect(try await change("*") == [200, 200])
        }
    }

    /// The same `Idempotency-Key` with another condition is another request.
    @Test func changedPreconditionWithAUsedIdempotencyKeyGets422() async throws {
        try await withServer { client, _ in
            _ = try await client.send("PUT", "/v1/handles/abc_name", #"{"owner":"one"}"#)
            func release(_ query: String, _ headers: [String: String]) async throws -> Int {
                try await client.send(
                    "DELETE", "/v1/handles/abc_name" + query,
                    headers: headers.merging(["Idempotency-Key": "k1"]) { $1 }
                ).status
            }
            let statuses = [
                try await release("?owner=two", [:]), try await release("?owner=two", [:]),
                try await release("?owner=one", [:]), try await release("?owner=two", ["If-Match": "*"]),
            ]
            #expect(statuses == [412, 412, 422, 422])
        }
    }
}

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

@Suite struct IdempotencyKeyTests {
    @Test func repeatedWriteGetsTheSameAnswerByteForByte() async throws {
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

    @Test func idempotencyKeyOfAnotherRequestGets422() async throws {
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

    /// A deleted owner may claim again before the caller receives the answer to the deletion and retries it.
    @Test func retriedOwnerDeletionKeepsNamesClaimedSince() async throws {
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

    /// The 409 is not stored under the key, because a retry may find another state.
    @Test func failedOwnerDeletionGets409AndMayBeRetriedWithTheSameKey() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        try await withServer(Registry(pool: patientPool(database))) { client, _ in
            _ = try await client.send("POST", "/v1/holds", #"{"handle":"johndoe","owner":"one"}"#)
            try await execute("UPDATE owners SET claimed = 1", on: database)
            let key = ["Idempotency-Key": "k1"]
            let refused = try await client.send("DELETE", "/v1/owners/one", headers: key)
            #expect(refused.status == 409 && refused.json["code"] as? String == "not_forgotten")
            try await execute("UPDATE owners SET claimed = 0", on: database)
            #expect(try await client.send("DELETE", "/v1/owners/one", headers: key).status == 204)
        }
    }

    @Test(arguments: ["two words", String(repeating: "x", count: 256), ""])
    func malformedIdempotencyKeyGets400(_ key: String) async throws {
        try await withServer { client, _ in
            let answer = try await client.send(
                "PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#, headers: ["Idempotency-Key": key])
            #expect(answer.status == 400)
            #expect(answer.json["code"] as? String == "invalid_idempotency_key")
        }
    }
}
