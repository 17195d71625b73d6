#if IdentityTokens
import Foundation
import HandleRegistry
import HandleRules
import HandleServer
import TestSupport
import Testing

@Suite struct PersonRightsTests {
    private let key: TestKey
    private let issuers: [TokenIssuer]
    private let jane: Owner
    private let joe: Owner

    init() async throws {
        let made = try await TestIssuers.made.value
        (key, issuers) = (made.p256, made.all)
        jane = try #require(Owner("https://login.example|jane"))
        joe = try #require(Owner("https://login.example|joe"))
    }

    @Test func personMayUseOnlyTheirOwnNamesOnEveryRoute() async throws {
        let registry = try await freshRegistry()
        try await withServer(registry, typingPause: .zero, tokens: TokenVerifier(issuers)) {
            [key, jane, joe] _, anonymous in
            let person = HTTPClient(port: anonymous.port, key: try key.token())
            for (owner, isOwn) in [(jane, true), (joe, false)] {
                for (number, call) in RouteCall.all.enumerated() where !call.isStream {
                    let handle = "zebra_\(number)\(isOwn ? "a" : "b")"
                    _ = try await registry.claim(handle, for: owner)
                    let (path, body) = call.example(handle: handle, owner: owner.id)
                    let answer = try await person.send(call.method, path, body)
                    let about = Comment(rawValue: "\(call.route) \(isOwn ? "own" : "other's"): \(answer.body)")
                    #expect(answer.status == (isOwn ? call.own : call.others), about)
                    guard answer.status == 403 else { continue }
                    let isForKeys = call.own == 403
                    #expect(answer.json["code"] as? String == (isForKeys ? "missing_scope" : "not_your_own"), about)
                    #expect(answer.json["scope"] as? String == call.scope?.rawValue, about)
                    #expect(answer.headers["www-authenticate"]?.contains("insufficient_scope") == true, about)
                    let kept = try await registry.record(of: #require(Handle(handle)))
                    #expect(kept?.owner == owner && kept?.state == .claimed && kept?.version == 1, about)
                }
            }
        }
    }

    @Test func ownerDefaultsToThePersonOfTheToken() async throws {
        let registry = try await freshRegistry()
        try await withServer(registry, tokens: TokenVerifier(issuers)) { [key, jane] client, anonymous in
            let person = HTTPClient(port: anonymous.port, key: try key.token())
            let hold = try await person.send("POST", "/v1/holds", #"{"handle":"zebra_x"}"#)
            #expect(hold.status == 201 && hold.json["owner"] as? String == jane.id)
            // The name is available to the owner of the hold, and unavailable to other callers.
            for (asker, status) in [(person, "available"), (anonymous, "unavailable")] {
                let answer = try await asker.send("GET", "/v1/availability?handle=zebra_x")
                let many = try await asker.send("POST", "/v1/availability", #"{"handles":["zebra_x"]}"#)
                let first = (many.json["results"] as? [[String: Any]])?.first
                #expect(answer.json["status"] as? String == status && first?["status"] as? String == status)
            }
            let asAnother = try await person.send("GET", "/v1/availability?handle=zebra_x&owner=else")
            #expect(asAnother.json["status"] as? String == "available")
            let claim = try await person.send("PUT", "/v1/handles/Zebra_X", "{}")
            #expect(claim.status == 201 && claim.json["owner"] as? String == jane.id)
            #expect(try await person.send("POST", "/v1/handles/zebra_x/offer", "{}").status == 201)
            let renamed = try await person.send("POST", "/v1/handles/zebra_x/rename", #"{"to":"zebra_y"}"#)
            #expect(renamed.status == 200 && renamed.json["handle"] as? String == "zebra_y")
            let listed = try await person.send("GET", "/v1/owners/me/handles")
            #expect((listed.json["handles"] as? [[String: Any]])?.compactMap { $0["handle"] as? String } == ["zebra_y"])
            for _ in 0..<2 {
                let released = try await person.send("DELETE", "/v1/handles/zebra_y")
                #expect(released.status == 204)
            }
            // With a key the owner has no default, and `me` is an owner id like any other.
            let unnamed = try await client.send("PUT", "/v1/handles/zebra_z", "{}")
            #expect(unnamed.status == 400 && unnamed.json["code"] as? String == "missing_field")
            let mine = try await client.send("GET", "/v1/owners/me/handles")
            #expect(mine.status == 200 && !mine.body.contains("zebra"))
        }
    }

    /// Releasing, recasing or renaming another owner's name tells a person only that a claimed name is claimed, which
    /// is public. Held, reserved and quarantined names look like free ones.
    @Test func refusalTellsAPersonNoMoreThanAnonymousCallersMayKnow() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.hold("zebra_held", for: joe)
        _ = try await registry.reserve("zebra_res", Reservation(reason: "brand"))
        // An admin reserved this name for jane, but she may not release it.
        _ = try await registry.reserve("zebra_mine", Reservation(reason: "promised", owner: jane))
        _ = try await registry.claim("zebra_quar", for: joe)
        _ = try await registry.release(try #require(Handle("zebra_quar")))
        _ = try await registry.claim("zebra_joe", for: joe)
        try await withServer(registry, tokens: TokenVerifier(issuers)) { [key] _, anonymous in
            let person = HTTPClient(port: anonymous.port, key: try key.token())
            let calls: [(String, String, String?)] = [
                ("DELETE", "", nil), ("PATCH", "", #"{"display":"NAME"}"#), ("POST", "/rename", #"{"to":"giraffe_x"}"#),
            ]
            for (method, suffix, body) in calls {
                func answer(_ name: String, _ headers: [String: String] = [:]) async throws -> HTTPAnswer {
                    try await person.send(
                        method, "/v1/handles/\(name)\(suffix)", body?.replacing("NAME", with: name), headers: headers)
                }
                let free = try await answer("zebra_free")
                #expect(free.status == 404 && free.json["code"] as? String == "no_such_handle")
                for name in ["zebra_held", "zebra_res", "zebra_quar", "zebra_mine"] {
                    let plain = try await answer(name)
                    let once = try await answer(name, ["Idempotency-Key": "\(method)-\(name)"])
                    #expect(plain.status == 404 && plain.body == free.body, "\(method) \(name): \(plain.body)")
                    #expect(once.status == 404 && once.body == free.body, "\(method) \(name): \(once.body)")
                }
                let claimed = try await answer("zebra_joe")
                #expect(claimed.status == 403 && claimed.json["code"] as? String == "not_your_own", "\(claimed.body)")
                #expect(!claimed.body.contains("joe\""))
            }
        }
        #expect(try await registry.record(of: #require(Handle("zebra_held")))?.version == 1)
        #expect(try await registry.record(of: #require(Handle("zebra_mine")))?.state == .reserved)
        #expect(try await registry.record(of: #require(Handle("zebra_joe")))?.owner == joe)
    }

    @Test func personLearnsThatTheirOwnOwnerIsLocked() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("zebra_x", for: jane)
        _ = try await registry.lock(jane, until: nil, Registry.testCause)
        try await withServer(registry, tokens: TokenVerifier(issuers)) { [key] _, anonymous in
            let person = HTTPClient(port: anonymous.port, key: try key.token())
            for (method, path, body) in [
                ("PUT", "/v1/handles/zebra_y", "{}"), ("DELETE", "/v1/handles/zebra_x", nil),
            ] as [(String, String, String?)] {
                let answer = try await person.send(method, path, body)
                #expect(answer.status == 403 && answer.json["code"] as? String == "owner_locked", "\(answer.body)")
                #expect(answer.json["until"] is NSNull && answer.reasonCodes == ["owner_locked"])
            }
            let check = try await person.send("GET", "/v1/availability?handle=zebra_y")
            #expect(check.reasonCodes == ["owner_locked"])
            let taking =
                [
                    ("DELETE", "/v1/handles/zebra_x?quarantine=false", nil),
                    ("POST", "/v1/handles/zebra_x/rename", #"{"to":"zebra_z","take":true,"reason":"mine"}"#),
                ] as [(String, String, String?)]
            for (method, path, body) in taking {
                let answer = try await person.send(method, path, body)
                #expect(answer.status == 403 && answer.json["code"] as? String == "missing_scope", "\(answer.body)")
            }
        }
    }

    @Test func historyRecordsOnlyThatTheActorIsAPerson() async throws {
        let registry = try await freshRegistry()
        try await withServer(registry, tokens: TokenVerifier(issuers)) { [key] _, anonymous in
            let same = ["Idempotency-Key": "one-and-the-same"]
            for (sub, name) in [("jane", "zebra_x"), ("joe", "zebra_y")] {
                let person = HTTPClient(port: anonymous.port, key: try key.token(["sub": "\"\(sub)\""]))
                for status in [201, 201] {
                    let answer = try await person.send("PUT", "/v1/handles/\(name)", "{}", headers: same)
                    #expect(answer.status == status)
                }
                let events = try await registry.history(of: #require(Handle(name)))
                #expect(events.map(\.actor) == ["person"])
            }
        }
    }

    /// Swift compares strings by canonical equivalence, but two subjects that differ in bytes are two people.
    @Test func canonicallyEquivalentSubjectsAreTwoPeople() async throws {
        let registry = try await freshRegistry()
        try await withServer(registry, tokens: TokenVerifier(issuers)) { [key] _, anonymous in
            let composed = HTTPClient(port: anonymous.port, key: try key.token(["sub": "\"jos\u{E9}\""]))
            let decomposed = HTTPClient(port: anonymous.port, key: try key.token(["sub": "\"jose\u{301}\""]))
            let claim = try await composed.send("PUT", "/v1/handles/zebra_x", "{}")
            #expect(claim.status == 201)
            for (method, path, body) in [
                ("DELETE", "/v1/handles/zebra_x", nil), ("PATCH", "/v1/handles/zebra_x", #"{"display":"ZEBRA_X"}"#),
                ("POST", "/v1/handles/zebra_x/rename", #"{"to":"zebra_y"}"#),
                ("PUT", "/v1/handles/zebra_z", "{\"owner\":\"https://login.example|jos\u{E9}\"}"),
            ] as [(String, String, String?)] {
                let answer = try await decomposed.send(method, path, body)
                #expect(answer.status == 403, "\(method): \(answer.body)")
            }
            let other = try await decomposed.send("PUT", "/v1/handles/zebra_x", "{}")
            #expect(other.status == 409)
        }
    }
}
#endif
