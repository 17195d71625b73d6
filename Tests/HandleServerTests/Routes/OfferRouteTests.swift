import Foundation
import TestSupport
import Testing

@Suite struct OfferRouteTests {
    @Test func anotherOwnerClaimsAnOfferedNameWithTheSecret() async throws {
        try await withServer { client, _ in
            let path = "/v1/handles/johndoe"
            _ = try await client.send("PUT", path, #"{"owner":"one","display":"JohnDoe"}"#)
            func offer() async throws -> String {
                let answer = try await client.send("POST", path + "/offer", #"{"owner":"one","ttl_seconds":604800}"#)
                #expect(answer.status == 201 && answer.json["display"] as? String == "JohnDoe", "\(answer.body)")
                #expect(answer.json["owner"] as? String == "one" && answer.json["expires_at"] is String)
                return try #require(answer.json["hold"] as? String)
            }
            func claim(_ secret: String, for owner: String) async throws -> Int {
                try await client.send("PUT", path, #"{"owner":"\#(owner)","hold":"\#(secret)"}"#).status
            }
            let (first, second) = (try await offer(), try await offer())
            // The second offer has ended the first, and the claim has ended the second.
            #expect(try await claim(first, for: "two") == 409)
            #expect(try await claim(second, for: "two") == 201)
            #expect(try await claim(second, for: "two") == 200)
            #expect(try await claim(second, for: "three") == 409)
            #expect(try await client.send("GET", path).json["owner"] as? String == "two")
        }
    }

    @Test func offerIsMadeOnlyByTheOwnerOfAClaimedName() async throws {
        try await withServer { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            _ = try await client.send("POST", "/v1/holds", #"{"handle":"held_name","owner":"one"}"#)
            for (name, body, status, code) in [
                ("johndoe", #"{"owner":"two"}"#, 409, "not_theirs"),
                ("held_name", #"{"owner":"one"}"#, 404, "no_such_handle"),
                ("free_name", #"{"owner":"one"}"#, 404, "no_such_handle"),
                ("ab", #"{"owner":"one"}"#, 422, "too_short"), ("johndoe", "{}", 400, "missing_field"),
                ("johndoe", #"{"owner":"one","ttl_seconds":0}"#, 400, "invalid_field"),
                ("johndoe", #"{"owner":"one","ttl_seconds":604801}"#, 400, "invalid_field"),
            ] {
                let answer = try await client.send("POST", "/v1/handles/\(name)/offer", body)
                #expect(answer.status == status && answer.json["code"] as? String == code, "\(body): \(answer.body)")
            }
            let path = "/v1/handles/johndoe/offer"
            let changed = try await client.send("POST", path, #"{"owner":"one"}"#, headers: ["If-Match": "\"9\""])
            #expect(changed.status == 412)
            #expect(try await anonymous.send("POST", path, #"{"owner":"one"}"#).status == 401)
            #expect(try await client.send("GET", "/v1/handles/johndoe").headers["etag"] == "\"1\"")
        }
    }
}
