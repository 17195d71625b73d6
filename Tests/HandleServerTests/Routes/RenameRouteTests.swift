import Foundation
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
