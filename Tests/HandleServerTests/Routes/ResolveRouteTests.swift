import Foundation
import HandleRegistry
import TestService
import TestSupport
import Testing

@Suite struct ResolveRouteTests {
    private static func resolve(_ client: HTTPClient, _ body: String) async throws -> HTTPAnswer {
        try await client.send("POST", "/v1/handles/resolve", body)
    }

    private static func list(_ texts: some Sequence<String>) -> String {
        "[\(texts.map { "\"\($0)\"" }.joined(separator: ","))]"
    }

    @Test func namesAndOwnersAreResolvedInTheOrderAsked() async throws {
        try await withServer { client, _ in
            for (name, owner) in [("JohnDoe", "one"), ("zebra_y", "two"), ("Zebra_X", "two"), ("zebra_z", "four")] {
                _ = try await client.send("PUT", "/v1/handles/\(name)", #"{"owner":"\#(owner)"}"#)
            }
            _ = try await client.send(
                "POST", "/v1/handles/johndoe/rename", #"{"to":"JaneDoe","owner":"one","forward":true}"#)
            _ = try await client.send("DELETE", "/v1/handles/zebra_z")
            _ = try await client.send("POST", "/v1/holds", #"{"handle":"held_name","owner":"one"}"#)
            let names = ["@ZEBRA_X", "johndoe", "a.", "zebra_z", "free_name", "janedoe", "held_name", " johndoe "]
            let answer = try await Self.resolve(
                client, #"{"handles":\#(Self.list(names)),"owners":["two","none-such","one","two","four"]}"#)
            #expect(answer.status == 200, "\(answer.body)")
            let handles = try #require(answer.json["handles"] as? [[String: Any]])
            #expect(handles.map { $0["input"] as? String } == names)
            func text(_ entry: [String: Any]) -> String {
                #expect(["found", "moved", "none"].filter { entry[$0] != nil }.count == 1, "\(entry)")
                if let found = entry["found"] as? [String: String] {
                    return "\(found["handle"] ?? "") \(found["display"] ?? "") \(found["owner"] ?? "")"
                }
                guard let moved = entry["moved"] as? [String: Any] else { return "none" }
                #expect(moved["until"] is String)
                return "moved to \((moved["to"] as? [String: String])?["display"] ?? "")"
            }
            #expect(
                handles.map(text) == [
                    "zebra_x Zebra_X two", "moved to JaneDoe", "none", "none", "none", "janedoe JaneDoe one", "none",
                    "moved to JaneDoe",
                ])
            let owners = try #require(answer.json["owners"] as? [[String: Any]])
            #expect(owners.map { $0["owner"] as? String } == ["two", "none-such", "one", "two", "four"])
            let found = owners.map { ($0["found"] as? [[String: String]])?.compactMap { $0["display"] } ?? [] }
            #expect(found == [["Zebra_X", "zebra_y"], [], ["JaneDoe"], ["Zebra_X", "zebra_y"], []])
            #expect(owners.map { $0["none"] as? Bool } == [nil, true, nil, nil, true])
        }
    }

    @Test func oneOfBothListsIsEnoughAndATextThatIsNoHandleIsNone() async throws {
        try await withServer { client, _ in
            #expect(try await Self.resolve(client, #"{"owners":[]}"#).body == #"{"handles":[],"owners":[]}"#)
            let texts = [String(repeating: "x", count: 10_000), "a\\u0000bc", "", "ab-cd"]
            let answer = try await Self.resolve(client, #"{"handles":\#(Self.list(texts))}"#)
            let handles = try #require(answer.json["handles"] as? [[String: Any]])
            #expect(handles.count == 4 && handles.allSatisfy { $0["none"] as? Bool == true })
        }
    }

    @Test(arguments: [
        ("{}", "missing_field"), (#"{"handles":null}"#, "invalid_field"), (#"{"handles":"johndoe"}"#, "invalid_field"),
        (#"{"handles":[1]}"#, "invalid_field"), (#"{"owners":[""]}"#, "invalid_owner"),
        (#"{"handles":\#(list(repeatElement("johndoe", count: 1001)))}"#, "too_many_handles"),
        (#"{"owners":\#(list(repeatElement("one", count: 1001)))}"#, "too_many_handles"),
    ])
    func invalidListGets400(_ body: String, _ code: String) async throws {
        try await withServer { client, _ in
            let answer = try await Self.resolve(client, body)
            #expect(answer.status == 400 && answer.json["code"] as? String == code, "\(answer.body)")
        }
    }

    @Test func callCountsAsItsNumberOfNamesAndOwners() async throws {
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        let key = try await store.newKey([.read], rate: Rate(10, perSeconds: 3600))
        try await withServer(registry, keys: store) { first, _ in
            let client = HTTPClient(port: first.port, key: key.text)
            func status(_ handles: Int, _ owners: Int) async throws -> Int {
                let (names, ids) = (repeatElement("johndoe", count: handles), repeatElement("one", count: owners))
                return try await Self.resolve(
                    client, #"{"handles":\#(Self.list(names)),"owners":\#(Self.list(ids))}"#
                ).status
            }
            // The first has more than the whole quota, and only the call itself takes one of ten.
            let found = [try await status(6, 5), try await status(4, 3), try await status(2, 1)]
            #expect(found == [400, 200, 429])
        }
    }

    @Test func personIsRefused() async throws {
        try await withServer(tokens: UnsignedToken.verifier()) { _, anonymous in
            let person = HTTPClient(port: anonymous.port, key: UnsignedToken.make(for: "jane"))
            let answer = try await Self.resolve(person, #"{"handles":["johndoe"]}"#)
            #expect(answer.status == 403 && answer.json["code"] as? String == "missing_scope")
            #expect(answer.json["scope"] as? String == "read")
        }
    }

    /// The router finds the path of this call before that of a handle.
    @Test func handleWithTheNameOfTheCallIsAHandleLikeOthers() async throws {
        try await withServer { client, _ in
            let path = "/v1/handles/resolve"
            let claimed = try await client.send("PUT", path, #"{"owner":"one"}"#)
            #expect(claimed.status == 201 && claimed.json["handle"] as? String == "resolve")
            #expect(try await client.send("PATCH", path, #"{"display":"Resolve"}"#).status == 200)
            #expect(try await client.send("GET", path).json["display"] as? String == "Resolve")
            #expect(try await client.send("HEAD", path).status == 200)
            let refused = try await client.send("OPTIONS", path)
            #expect(refused.status == 405 && refused.headers["allow"] == "POST")
            #expect(try await client.send("DELETE", path).status == 204)
            #expect(try await client.send("PUT", path, #"{"owner":"one"}"#).status == 201)
            let renamed = try await client.send("POST", path + "/rename", #"{"to":"zebra_x","owner":"one"}"#)
            #expect(renamed.status == 200)
        }
    }
}
