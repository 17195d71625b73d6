import TestSupport
import Testing

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

    /// The condition counts for names that the owner can have. For others it would tell the version of a hidden name.
    @Test func claimChecksIfMatch() async throws {
        try await withServer { client, _ in
            let path = "/v1/handles/abc_name"
            func claim(_ tag: String, for owner: String) async throws -> Int {
                let answer = try await client.send("PUT", path, #"{"owner":"\#(owner)"}"#, headers: ["If-Match": tag])
                if answer.status == 412 { #expect(answer.json["code"] as? String == "precondition_failed") }
                return answer.status
            }
            for tag in ["*", "\"1\""] { #expect(try await claim(tag, for: "one") == 412) }
            #expect(try await client.send("GET", path).status == 404)
            _ = try await client.send("POST", "/v1/holds", #"{"handle":"abc_name","owner":"one"}"#)
            #expect(try await claim("\"2\"", for: "one") == 412)
            #expect(try await claim("\"2\", \"1\"", for: "one") == 201)
            #expect(try await claim("\"1\"", for: "one") == 412)
            for tag in ["*", "\"2\""] { #expect(try await claim(tag, for: "one") == 200) }
            for tag in ["*", "\"2\"", "\"1\""] { #expect(try await claim(tag, for: "two") == 409) }
            #expect(try await client.send("DELETE", path).status == 204)
            #expect(try await claim("\"2\"", for: "one") == 412)
            #expect(try await claim("\"3\"", for: "one") == 201)
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
