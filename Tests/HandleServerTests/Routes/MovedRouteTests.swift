import Foundation
import HandleRegistry
import TestService
import TestSupport
import Testing

@Suite struct MovedRouteTests {
    private static func rename(
        _ old: String, to new: String, _ client: HTTPClient, _ more: String = #","forward":true"#
    ) async throws -> HTTPAnswer {
        try await client.send("POST", "/v1/handles/\(old)/rename", #"{"to":"\#(new)","owner":"one"\#(more)}"#)
    }

    /// The display handle that an old name leads to; else the status.
    private static func target(_ name: String, _ client: HTTPClient) async throws -> String {
        let answer = try await client.send("GET", "/v1/handles/\(name)")
        return (answer.json["to"] as? [String: String])?["display"] ?? "\(answer.status)"
    }

    @Test func oldNameLeadsEveryCallerToThePresentOne() async throws {
        try await withServer { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one","display":"JohnDoe"}"#)
            #expect(try await Self.rename("johndoe", to: "JaneDoe", client).status == 200)
            let answer = try await anonymous.send("GET", "/v1/handles/johndoe")
            #expect(answer.status == 200 && answer.headers["etag"] == "\"2\"")
            #expect(Set(answer.json.keys) == ["handle", "display", "state", "to", "until"])
            #expect(answer.json["state"] as? String == "moved" && answer.json["display"] as? String == "JohnDoe")
            #expect(answer.json["to"] as? [String: String] == ["handle": "janedoe", "display": "JaneDoe"])
            let full = try await client.send("GET", "/v1/handles/johndoe")
            #expect(full.json["version"] as? Int == 2 && full.json["changed_at"] is String)
            // The way goes by the owner, so it has no steps.
            #expect(try await Self.rename("janedoe", to: "Zebra_X", client).status == 200)
            for name in ["johndoe", "janedoe"] { #expect(try await Self.target(name, anonymous) == "Zebra_X") }
            #expect(try await anonymous.send("HEAD", "/v1/handles/johndoe").status == 200)
        }
    }

    @Test func renameWithoutForwardLeadsNowhere() async throws {
        try await withServer { client, anonymous in
            for (old, more) in [("zebra_a", ""), ("zebra_b", #","forward":false"#), ("zebra_c", #","forward":null"#)] {
                _ = try await client.send("PUT", "/v1/handles/\(old)", #"{"owner":"one"}"#)
                #expect(try await Self.rename(old, to: old + "_new", client, more).status == 200)
                #expect(try await Self.target(old, anonymous) == "404")
                let record = try await client.send("GET", "/v1/handles/\(old)")
                #expect(record.json["state"] as? String == "quarantined")
            }
        }
    }

    /// Each change ends the way for callers without a key.
    @Test(
        arguments: [
            ("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#, "200"),
            ("POST", "/v1/handles/johndoe/assign", #"{"to":"two","reason":"r"}"#, "200"),
            ("PATCH", "/v1/handles/johndoe", #"{"forward":false}"#, "404"),
            ("DELETE", "/v1/handles/johndoe?quarantine=false", nil, "404"),
            ("DELETE", "/v1/handles/janedoe?owner=one", nil, "404"), ("DELETE", "/v1/owners/one", nil, "404"),
            ("POST", "/v1/handles/janedoe/assign", #"{"to":"two","reason":"r"}"#, "404"),
        ] as [(String, String, String?, String)])
    func oldNameLeadsNowhereAfterAChange(_ method: String, _ path: String, _ body: String?, _ answer: String)
        async throws
    {
        try await withServer { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            _ = try await Self.rename("johndoe", to: "janedoe", client)
            #expect(try await Self.target("johndoe", anonymous) == "janedoe")
            #expect(try await client.send(method, path, body).status < 300)
            #expect(try await Self.target("johndoe", anonymous) == answer)
        }
    }

    @Test func forwardEndsOnceUnderItsPrecondition() async throws {
        try await withServer { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            _ = try await Self.rename("johndoe", to: "janedoe", client)
            let path = "/v1/handles/johndoe"
            func end(_ body: String = #"{"forward":false}"#, _ tag: String? = nil) async throws -> HTTPAnswer {
                try await client.send("PATCH", path, body, headers: tag.map { ["If-Match": $0] } ?? [:])
            }
            for (body, code) in [
                (#"{"forward":true}"#, "invalid_field"), (#"{"forward":null}"#, "invalid_field"),
                (#"{"forward":0}"#, "invalid_field"), (#"{"forward":false,"display":"JohnDoe"}"#, "invalid_field"),
                ("{}", "missing_field"),
            ] {
                let refused = try await end(body)
                #expect(refused.status == 400 && refused.json["code"] as? String == code, "\(body): \(refused.body)")
            }
            #expect(try await end(#"{"forward":false}"#, "\"1\"").status == 412)
            #expect(try await Self.target("johndoe", anonymous) == "janedoe")
            let ended = try await end(#"{"forward":false}"#, "\"2\"")
            #expect(ended.status == 200 && ended.headers["etag"] == "\"3\"")
            #expect(ended.json["state"] as? String == "quarantined" && ended.json["until"] is String)
            let again = try await end()
            #expect(again.status == 200 && again.body == ended.body)
            #expect(try await client.send("PATCH", "/v1/handles/zebra_x", #"{"forward":false}"#).status == 404)
        }
    }

    @Test func takenNameCannotLeadToAnotherOne() async throws {
        try await withServer { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            let refused = try await Self.rename(
                "johndoe", to: "janedoe", client, #","forward":true,"take":true,"reason":"r""#)
            #expect(refused.status == 400 && refused.json["code"] as? String == "invalid_field")
            #expect(try await client.send("GET", "/v1/handles/johndoe").json["state"] as? String == "claimed")
        }
    }

    @Test func personEndsOnlyTheWayToTheirOwnName() async throws {
        try await withServer(tokens: UnsignedToken.verifier()) { _, anonymous in
            let (jane, joe) = (
                HTTPClient(port: anonymous.port, key: UnsignedToken.make(for: "jane")),
                HTTPClient(port: anonymous.port, key: UnsignedToken.make(for: "joe"))
            )
            _ = try await jane.send("PUT", "/v1/handles/johndoe", "{}")
            let renamed = try await jane.send(
                "POST", "/v1/handles/johndoe/rename", #"{"to":"janedoe","forward":true}"#)
            #expect(renamed.status == 200)
            for (name, status, code) in [("johndoe", 404, "no_such_handle"), ("janedoe", 403, "not_your_own")] {
                let refused = try await joe.send("PATCH", "/v1/handles/\(name)", #"{"forward":false}"#)
                #expect(refused.status == status && refused.json["code"] as? String == code)
            }
            #expect(try await Self.target("johndoe", joe) == "janedoe")
            #expect(try await jane.send("PATCH", "/v1/handles/johndoe", #"{"forward":false}"#).status == 200)
            #expect(try await Self.target("johndoe", joe) == "404")
        }
    }
}
