import HandleRegistry
import TestSupport
import Testing

@Suite struct IdempotencyKeyTests {
    @Test func repeatedWriteGetsTheSameAnswerByteForByte() async throws {
        try await withServer { client, _ in
            let writes: [(String, String, String?, Int)] = [
                ("POST", "/v1/holds", #"{"handle":"johndoe","owner":"one"}"#, 201),
                ("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#, 201),
                ("PUT", "/v1/handles/johndoe", #"{"owner":"two"}"#, 409),
                ("PUT", "/v1/handles/adm1n", #"{"owner":"two"}"#, 422),
                ("PATCH", "/v1/handles/johndoe", #"{"display":"JohnDoe"}"#, 200),
                ("POST", "/v1/handles/johndoe/offer", #"{"owner":"one"}"#, 201),
                ("POST", "/v1/handles/johndoe/rename", #"{"to":"jane_doe","owner":"one"}"#, 200),
                ("POST", "/v1/reservations", #"{"handle":"acme","reason":"our brand"}"#, 201),
                ("POST", "/v1/handles/acme/assign", #"{"to":"two","reason":"impersonation"}"#, 200),
                ("PUT", "/v1/owners/two/lock", #"{"reason":"impersonation"}"#, 201),
                ("DELETE", "/v1/owners/two/lock", nil, 204),
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
