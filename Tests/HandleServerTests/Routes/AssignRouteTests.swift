import Foundation
import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite struct AssignRouteTests {
    @Test func assignTakesANameFromItsOwnerForGood() async throws {
        let registry = try await freshRegistry()
        try await withServer(registry) { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            let assign = #"{"to":"two","from":"one","reason":"impersonation"}"#
            for _ in 0..<2 {
                let answer = try await client.send("POST", "/v1/handles/JohnDoe/assign", assign)
                #expect(answer.status == 200 && answer.headers["etag"] == "\"2\"", "\(answer.body)")
                #expect(answer.json["owner"] as? String == "two" && answer.json["display"] as? String == "JohnDoe")
            }
            #expect(try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#).status == 409)
            let handle = try #require(Handle("johndoe"))
            let event = try #require(try await registry.history(of: handle).last)
            #expect(event.action == .assigned && event.reason == "impersonation" && event.actor == "key:admin")
        }
    }

    @Test func assignGivesANameInEveryStateToAFullOwner() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.reserve("reserved_one", Reservation(reason: "ours"))
        _ = try await registry.hold("held_one", for: #require(Owner("one")))
        try await withServer(registry) { client, _ in
            _ = try await client.send("PUT", "/v1/handles/given_up", #"{"owner":"one"}"#)
            _ = try await client.send("DELETE", "/v1/handles/given_up")
            for (name, from) in [
                ("free_one", "null"), ("reserved_one", "null"), ("held_one", #""one""#), ("given_up", #""one""#),
                ("admin", "null"),
            ] {
                let answer = try await client.send(
                    "POST", "/v1/handles/\(name)/assign", #"{"to":"two","from":\#(from),"reason":"agreed"}"#)
                #expect(answer.status == 200 && answer.json["owner"] as? String == "two", "\(answer.body)")
            }
        }
    }

    @Test func assignChecksFromAndIfMatch() async throws {
        try await withServer { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            for (name, from, tag) in [
                ("johndoe", #""three""#, "*"), ("johndoe", #""one""#, "\"9\""), ("free_one", #""one""#, nil),
                ("free_one", "null", "*"),
            ] as [(String, String, String?)] {
                let answer = try await client.send(
                    "POST", "/v1/handles/\(name)/assign", #"{"to":"two","from":\#(from),"reason":"r"}"#,
                    headers: tag.map { ["If-Match": $0] } ?? [:])
                #expect(answer.status == 412 && answer.json["code"] as? String == "precondition_failed", "\(name)")
            }
            #expect(try await client.send("GET", "/v1/handles/johndoe").json["owner"] as? String == "one")
        }
    }

    @Test func lookalikeIsAssignedOnlyIfTheModeratorAllowsIt() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "ours", owner: Owner("org")))
        try await withServer(registry) { client, _ in
            let refused = try await client.send("POST", "/v1/handles/acrne/assign", #"{"to":"two","reason":"r"}"#)
            #expect(refused.status == 422 && refused.reasonCodes == ["lookalike"])
            let allowed = try await client.send(
                "POST", "/v1/handles/acrne/assign", #"{"to":"two","reason":"r","allow_lookalike":true}"#)
            #expect(allowed.status == 200)
        }
    }

    @Test(arguments: [
        (#"{"to":"two"}"#, "missing_field"), (#"{"reason":"r"}"#, "missing_field"),
        (#"{"to":"two","reason":null}"#, "invalid_field"), (#"{"to":"two","reason":" \u00a0"}"#, "invalid_field"),
        (#"{"to":"two","reason":"a\u0007b"}"#, "invalid_field"),
        (#"{"to":"two","reason":"\#(String(repeating: "r", count: 1001))"}"#, "invalid_field"),
        (#"{"to":"two","reason":"r","allow_lookalike":"yes"}"#, "invalid_field"),
        (#"{"to":"","reason":"r"}"#, "invalid_owner"), (#"{"to":"two","from":"","reason":"r"}"#, "invalid_owner"),
    ])
    func invalidAssignmentGets400(_ body: String, _ code: String) async throws {
        try await withServer { client, _ in
            let answer = try await client.send("POST", "/v1/handles/johndoe/assign", body)
            #expect(answer.status == 400 && answer.json["code"] as? String == code, "\(answer.body)")
            #expect(try await client.send("GET", "/v1/handles/johndoe").status == 404)
            let malformed = try await client.send("POST", "/v1/handles/ab/assign", #"{"to":"two","reason":"r"}"#)
            #expect(malformed.status == 422 && malformed.json["code"] as? String == "too_short")
        }
    }
}
