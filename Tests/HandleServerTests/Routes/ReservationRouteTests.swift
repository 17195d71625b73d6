import Foundation
import HandleRegistry
import TestSupport
import Testing

@Suite struct ReservationRouteTests {
    private static func reserve(_ client: HTTPClient, _ body: String) async throws -> HTTPAnswer {
        try await client.send("POST", "/v1/reservations", body)
    }

    @Test func reservationStaysAsItIsWhenItIsRepeated() async throws {
        try await withServer { client, _ in
            let first = try await Self.reserve(
                client, #"{"handle":"Acme","reason":"our brand","owner":"org","until":"2999-12-31T23:00:00+01:00"}"#)
            #expect(first.status == 201 && first.headers["etag"] == "\"1\"", "\(first.body)")
            #expect(first.json["state"] as? String == "reserved" && first.json["display"] as? String == "Acme")
            #expect(first.json["owner"] as? String == "org" && first.json["reason"] as? String == "our brand")
            #expect(first.json["until"] as? String == "2999-12-31T22:00:00.000Z")
            let again = try await Self.reserve(client, #"{"handle":"acme","reason":"another"}"#)
            #expect(again.status == 200 && again.body == first.body)
            #expect(try await client.send("PUT", "/v1/handles/acme", #"{"owner":"one"}"#).status == 409)
            #expect(try await client.send("PUT", "/v1/handles/acme", #"{"owner":"org"}"#).status == 201)
        }
    }

    @Test func nameInUseIsReservedOnlyWithTake() async throws {
        try await withServer { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            let refused = try await Self.reserve(client, #"{"handle":"johndoe","reason":"fraud","take":false}"#)
            #expect(refused.status == 409 && refused.json["code"] as? String == "taken")
            let taken = try await Self.reserve(client, #"{"handle":"johndoe","reason":"fraud","take":true}"#)
            #expect(taken.status == 201 && taken.json["owner"] is NSNull)
            #expect(try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#).status == 409)
            #expect(try await client.send("GET", "/v1/owners/one/handles").body == #"{"handles":[]}"#)
        }
    }

    @Test func reservedWordCanBeReservedAndALookalikeIfTheModeratorAllowsIt() async throws {
        try await withServer { client, _ in
            for (body, status, code) in [
                (#"{"handle":"admin","reason":"r"}"#, 201, nil),
                (#"{"handle":"acme","reason":"r","owner":"org"}"#, 201, nil),
                (#"{"handle":"acrne","reason":"r"}"#, 422, "lookalike"),
                (#"{"handle":"acrne","reason":"r","allow_lookalike":true}"#, 201, nil),
                (#"{"handle":"a-b","reason":"r"}"#, 422, "invalid_character"),
                (#"{"handle":"johndoe","display":"JaneDoe","reason":"r"}"#, 422, "display_mismatch"),
                (#"{"handle":"johndoe","display":"JohnDoe","reason":"r"}"#, 201, nil),
            ] as [(String, Int, String?)] {
                let answer = try await Self.reserve(client, body)
                #expect(answer.status == status && answer.json["code"] as? String == code, "\(body): \(answer.body)")
            }
            #expect(try await client.send("GET", "/v1/handles/johndoe").json["display"] as? String == "JohnDoe")
        }
    }

    @Test(arguments: [
        (#"{"handle":"acme"}"#, "missing_field"), (#"{"reason":"r"}"#, "missing_field"),
        (#"{"handle":"acme","reason":""}"#, "invalid_field"),
        (#"{"handle":"acme","reason":"r","until":"2020-01-01T00:00:00Z"}"#, "invalid_field"),
        (#"{"handle":"acme","reason":"r","until":"tomorrow"}"#, "invalid_field"),
        (#"{"handle":"acme","reason":"r","until":1}"#, "invalid_field"),
        (#"{"handle":"acme","reason":"r","take":1}"#, "invalid_field"),
        (#"{"handle":"acme","reason":"r","owner":""}"#, "invalid_owner"),
        (#"{"handle":"ac\u0000me","reason":"r"}"#, "invalid_text"),
    ])
    func invalidReservationGets400(_ body: String, _ code: String) async throws {
        try await withServer { client, _ in
            let answer = try await Self.reserve(client, body)
            #expect(answer.status == 400 && answer.json["code"] as? String == code, "\(answer.body)")
            #expect(try await client.send("GET", "/v1/handles/acme").status == 404)
        }
    }

    @Test func renameWithTakeReservesTheOldName() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let claiming = try await store.newKey([.claim])
        try await withServer(registry, keys: store) { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            func rename(_ asker: HTTPClient, _ more: String) async throws -> HTTPAnswer {
                try await asker.send(
                    "POST", "/v1/handles/johndoe/rename", #"{"to":"a_customer","owner":"one",\#(more)}"#)
            }
            let app = HTTPClient(port: client.port, key: claiming.text)
            for more in [#""take":true,"reason":"fraud""#, #""reason":"fraud""#] {
                let refused = try await rename(app, more)
                #expect(refused.status == 403 && refused.json["scope"] as? String == "moderate", "\(refused.body)")
            }
            let unexplained = try await rename(client, #""take":true"#)
            #expect(unexplained.status == 400 && unexplained.json["code"] as? String == "missing_field")
            for _ in 0..<2 {
                let renamed = try await rename(client, #""take":true,"reason":"fraud""#)
                #expect(renamed.status == 200 && renamed.json["handle"] as? String == "a_customer")
            }
            let old = try await client.send("GET", "/v1/handles/johndoe")
            #expect(old.json["state"] as? String == "reserved" && old.json["reason"] as? String == "fraud")
            let back = #"{"to":"johndoe","owner":"one","take":false}"#
            #expect(try await app.send("POST", "/v1/handles/a_customer/rename", back).status == 409)
        }
    }

    @Test func nameIsFreeAtOnceWithoutQuarantine() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let claiming = try await store.newKey([.claim])
        try await withServer(registry, keys: store) { client, _ in
            let path = "/v1/handles/johndoe"
            _ = try await client.send("PUT", path, #"{"owner":"one"}"#)
            let app = HTTPClient(port: client.port, key: claiming.text)
            let refused = try await app.send("DELETE", path + "?quarantine=false")
            #expect(refused.status == 403 && refused.json["scope"] as? String == "moderate")
            #expect(try await app.send("DELETE", path + "?quarantine=true").status == 204)
            #expect(try await client.send("GET", path).json["state"] as? String == "quarantined")
            #expect(try await client.send("DELETE", path + "?quarantine=false&owner=two").status == 412)
            #expect(try await client.send("DELETE", path + "?quarantine=false&owner=one").status == 204)
            #expect(try await client.send("GET", path).status == 404)
            #expect(try await client.send("DELETE", path + "?quarantine=false").status == 404)
            #expect(try await client.send("PUT", path, #"{"owner":"two"}"#).status == 201)
            #expect(try await client.send("DELETE", path + "?quarantine=false").status == 204)
            #expect(try await client.send("PUT", path, #"{"owner":"three"}"#).status == 201)
        }
    }
}
