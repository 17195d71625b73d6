import Foundation
import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite struct OwnerLockRouteTests {
    private static let path = "/v1/owners/urn%3Auser%2F1/lock"

    @Test func ownerIsLockedAndUnlocked() async throws {
        try await withServer { client, _ in
            let free = #"{"owner":"urn:user/1","locked":false}"#
            #expect(try await client.send("GET", Self.path).body == free)
            let lock = #"{"reason":"impersonates a shop"}"#
            let first = try await client.send("PUT", Self.path, lock)
            #expect(first.status == 201 && first.json["locked"] as? Bool == true, "\(first.body)")
            #expect(first.json["owner"] as? String == "urn:user/1" && first.json["until"] is NSNull)
            #expect(first.json["reason"] as? String == "impersonates a shop")
            #expect(first.json["actor"] as? String == "key:admin")
            let again = try await client.send("PUT", Self.path, lock)
            #expect(again.status == 200 && again.body == first.body)
            #expect(try await client.send("GET", Self.path).body == first.body)
            let longer = try await client.send(
                "PUT", Self.path, #"{"reason":"second warning","until":"2999-12-31T23:00:00Z"}"#)
            #expect(longer.status == 201 && longer.json["until"] as? String == "2999-12-31T23:00:00.000Z")
            for _ in 0..<2 { #expect(try await client.send("DELETE", Self.path).status == 204) }
            #expect(try await client.send("GET", Self.path).body == free)
        }
    }

    @Test func lockedOwnerGets403ForEveryChangeAndAModeratorMakesIt() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let claiming = try await store.newKey([.claim])
        _ = try await registry.claim("taken_name", for: #require(Owner("two")))
        try await withServer(registry, keys: store) { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            _ = try await client.send(
                "PUT", "/v1/owners/one/lock", #"{"reason":"fraud","until":"2999-12-31T23:00:00Z"}"#)
            let app = HTTPClient(port: client.port, key: claiming.text)
            let calls: [(String, String, String?, [String], Int)] = [
                ("PUT", "/v1/handles/taken_name", #"{"owner":"one"}"#, ["taken", "owner_locked"], 409),
                ("POST", "/v1/holds", #"{"handle":"janedoe","owner":"one"}"#, ["owner_locked"], 201),
                ("PUT", "/v1/handles/janedoe", #"{"owner":"one"}"#, ["owner_locked"], 201),
                ("PATCH", "/v1/handles/johndoe", #"{"display":"JohnDoe"}"#, ["owner_locked"], 200),
                ("POST", "/v1/handles/johndoe/offer", #"{"owner":"one"}"#, ["owner_locked"], 201),
                ("POST", "/v1/handles/johndoe/rename", #"{"to":"later_name","owner":"one"}"#, ["owner_locked"], 200),
                ("DELETE", "/v1/handles/later_name", nil, ["owner_locked"], 204),
            ]
            for (method, path, body, reasons, _) in calls {
                // Only the moderator has made the rename before the release.
                let refused = try await app.send(method, path.replacing("later_name", with: "johndoe"), body)
                #expect(refused.status == 403 && refused.json["code"] as? String == "owner_locked", "\(refused.body)")
                #expect(refused.json["until"] as? String == "2999-12-31T23:00:00.000Z")
                #expect(refused.reasonCodes == reasons)
            }
            let check = try await app.send("GET", "/v1/availability?handle=janedoe&owner=one")
            #expect(check.json["status"] as? String == "unavailable" && check.reasonCodes == ["owner_locked"])
            for (method, path, body, _, status) in calls {
                #expect(try await client.send(method, path, body).status == status, "\(method) \(path)")
            }
        }
    }

    @Test func repeatedLockWithAnIdempotencyKeyDoesNotLockAgain() async throws {
        try await withServer { client, _ in
            let key = ["Idempotency-Key": "0b0a5c0e-7f43-4d0f-9a51-6d1f9c9f7a10"]
            func lock() async throws -> HTTPAnswer {
                try await client.send("PUT", Self.path, #"{"reason":"fraud"}"#, headers: key)
            }
            let first = try await lock()
            #expect(try await client.send("DELETE", Self.path).status == 204)
            let again = try await lock()
            #expect(first.status == 201 && again.status == 201 && again.body == first.body)
            #expect(try await client.send("GET", Self.path).json["locked"] as? Bool == false)
        }
    }

    @Test(arguments: [
        ("{}", "missing_field"), (#"{"reason":"\t"}"#, "invalid_field"),
        (#"{"reason":"r","until":"2020-01-01T00:00:00Z"}"#, "invalid_field"),
        (#"{"reason":"r","until":"2999-12-31"}"#, "invalid_field"), ("", "missing_body"),
    ])
    func invalidLockGets400(_ body: String, _ code: String) async throws {
        try await withServer { client, _ in
            let answer = try await client.send("PUT", Self.path, body)
            #expect(answer.status == 400 && answer.json["code"] as? String == code, "\(answer.body)")
            #expect(try await client.send("GET", Self.path).json["locked"] as? Bool == false)
        }
    }
}
