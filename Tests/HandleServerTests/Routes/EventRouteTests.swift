import Foundation
import HandleRegistry
import TestSupport
import Testing

@Suite struct EventRouteTests {
    private static func numbers(_ answer: HTTPAnswer) -> [Int] { answer.lines.compactMap { $0["seq"] as? Int } }

    @Test func eventsAreListedInOrderWithBothOwners() async throws {
        let (registry, leader) = try await registryWithFeed()
        try await withServer(registry) { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one","display":"JohnDoe"}"#)
            _ = try await client.send("POST", "/v1/handles/johndoe/rename", #"{"to":"janedoe","owner":"one"}"#)
            _ = try await client.send("POST", "/v1/handles/janedoe/assign", #"{"to":"two","reason":"fraud"}"#)
            _ = try await leader.round()
            let answer = try await client.send("GET", "/v1/events")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/x-ndjson")
            #expect(Self.numbers(answer) == [1, 2, 3, 4])
            func text(_ event: [String: Any]) -> String {
                let names = ["handle", "version", "action", "from", "to", "owner", "previous_owner", "related"]
                return names.map { "\(event[$0] ?? "-")" }.joined(separator: " ")
            }
            let events = answer.lines.map(text)
            #expect(
                Set(events) == [
                    "johndoe 1 claimed free claimed one - -", "johndoe 2 renamed claimed quarantined - one janedoe",
                    "janedoe 1 renamed free claimed one - johndoe", "janedoe 2 assigned claimed claimed two one -",
                ])
            for name in ["johndoe", "janedoe"] {
                let versions = answer.lines.filter { $0["handle"] as? String == name }.map { $0["version"] as? Int }
                #expect(versions == [1, 2])
            }
            let given = try #require(answer.lines.first { $0["to"] as? String == "quarantined" })
            #expect(given["display"] as? String == "JohnDoe" && given["until"] is String && given["at"] is String)
            // The reason of a moderator is not for every reader.
            #expect(!answer.body.contains("fraud") && !answer.body.contains("null"))
        }
    }

    @Test func eventsAreReadInPages() async throws {
        let (registry, leader) = try await registryWithFeed()
        try await withServer(registry) { client, _ in
            let empty = try await client.send("GET", "/v1/events?after=0")
            #expect(empty.status == 200 && empty.body.isEmpty)
            for number in 0..<5 { _ = try await client.send("PUT", "/v1/handles/zebra_\(number)", #"{"owner":"one"}"#) }
            // A change without a number is not listed.
            #expect(try await client.send("GET", "/v1/events").body.isEmpty)
            _ = try await leader.round()
            for (query, numbers) in [
                ("?limit=2", [1, 2]), ("?after=2&limit=2", [3, 4]), ("?after=4&limit=1000", [5]), ("?after=5", []),
            ] {
                #expect(Self.numbers(try await client.send("GET", "/v1/events\(query)")) == numbers, "\(query)")
            }
        }
    }

    @Test func idOfAForgottenOwnerIsGoneFromTheFeed() async throws {
        let (registry, leader) = try await registryWithFeed()
        try await withServer(registry) { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"person-77"}"#)
            _ = try await client.send("POST", "/v1/handles/johndoe/rename", #"{"to":"janedoe","owner":"person-77"}"#)
            _ = try await leader.round()
            #expect(try await client.send("GET", "/v1/events").body.contains("person-77"))
            _ = try await client.send("DELETE", "/v1/owners/person-77")
            _ = try await leader.round()
            let answer = try await client.send("GET", "/v1/events")
            #expect(answer.lines.count > 3 && !answer.body.contains("person-77"))
        }
    }

    @Test(arguments: ["/v1/events", "/v1/events/stream"])
    func readerIsToldThatTheFeedIsOffOrTheCursorHasExpired(_ path: String) async throws {
        let registry = try await freshRegistry()
        try await withServer(registry, streamLife: .zero) { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            let off = try await client.send("GET", path)
            #expect(off.status == 404 && off.json["code"] as? String == "feed_off")
            // The feed does not have the claim, which is older.
            try await registry.keepFeed(for: .seconds(3600))
            for cursor in [0, 2, 9_007_199_254_740_991] {
                let expired = try await client.send("GET", "\(path)?after=\(cursor)")
                #expect(expired.status == 410 && expired.json["code"] as? String == "cursor_expired")
                #expect((expired.json["detail"] as? String)?.contains("handles export --history") == true)
            }
            #expect(try await client.send("GET", "\(path)?after=1").status == 200)
        }
    }

    @Test(arguments: [
        ("/v1/events?after=-1", "invalid_parameter"), ("/v1/events?after=x", "invalid_parameter"),
        ("/v1/events?after=9007199254740992", "invalid_parameter"), ("/v1/events?limit=0", "invalid_parameter"),
        ("/v1/events?limit=1001", "invalid_parameter"), ("/v1/events?afetr=1", "invalid_parameter"),
        ("/v1/events?after=1&after=1", "repeated_parameter"), ("/v1/events/stream?after=", "invalid_parameter"),
        ("/v1/events/stream?limit=1", "invalid_parameter"),
    ])
    func invalidCursorOrPageSizeGets400(_ path: String, _ code: String) async throws {
        let (registry, _) = try await registryWithFeed()
        try await withServer(registry, streamLife: .zero) { client, _ in
            let answer = try await client.send("GET", path)
            #expect(answer.status == 400 && answer.json["code"] as? String == code, "\(answer.body)")
        }
    }
}
