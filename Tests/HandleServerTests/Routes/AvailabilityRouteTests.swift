import Foundation
import TestSupport
import Testing

@Suite struct AvailabilityRouteTests {
    @Test func availabilityCheckAnswersForFreeTakenAndInvalidNames() async throws {
        try await withServer { client, anonymous in
            let free = try await anonymous.send("GET", "/v1/availability?handle=JohnDoe")
            #expect(free.status == 200)
            #expect(free.headers["cache-control"] == "no-store")
            #expect(
                free.body
                    == #"{"input":"JohnDoe","handle":"johndoe","display":"JohnDoe","status":"available","reasons":[],"suggestions":[]}"#
            )
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            let taken = try await anonymous.send("GET", "/v1/availability?handle=%40JOHNDOE")
            #expect(taken.json["status"] as? String == "unavailable")
            #expect(taken.reasonCodes == ["taken"])
            #expect((taken.json["suggestions"] as? [Any])?.count == 5)
            let invalid = try await anonymous.send("GET", "/v1/availability?handle=a.&suggestions=0")
            #expect(invalid.status == 200)
            #expect(invalid.json["status"] as? String == "invalid")
            #expect(invalid.json["handle"] is NSNull)
            #expect(invalid.reasonCodes == ["too_short", "invalid_character"])
        }
    }

    @Test func offensiveWordIsNotRepeatedToCallersWithoutAKey() async throws {
        try await withServer { client, anonymous in
            let open = try await anonymous.send("GET", "/v1/availability?handle=FuckYou&suggestions=0")
            let reason =
                #""code":"reserved_word","message":"This name can't be used; choose another.","category":"offensive""#
            #expect(open.body.contains("{\(reason)}"), "\(open.body)")
            let known = try await client.send("GET", "/v1/availability?handle=FuckYou&suggestions=0")
            #expect(known.body.contains("{\(reason),\"word\":\"fuck\"}"), "\(known.body)")
            let claimed = try await client.send("PUT", "/v1/handles/fuckyou", #"{"owner":"one","display":"FuckYou"}"#)
            #expect(claimed.status == 422 && claimed.reasonCodes == ["reserved_word"])
            #expect(claimed.json["detail"] as? String == "This name can't be used; choose another.")
        }
    }

    @Test func stateOfATakenNameIsShownOnlyWithAKey() async throws {
        try await withServer { client, anonymous in
            _ = try await client.send("PUT", "/v1/handles/taken_one", #"{"owner":"one"}"#)
            _ = try await client.send("POST", "/v1/holds", #"{"handle":"heldup","owner":"one"}"#)
            _ = try await client.send("PUT", "/v1/handles/former", #"{"owner":"one"}"#)
            _ = try await client.send("DELETE", "/v1/handles/former")
            for (name, state) in [("taken_one", "claimed"), ("heldup", "held"), ("former", "quarantined")] {
                let open = try await anonymous.send("GET", "/v1/availability?handle=\(name)&suggestions=0&owner=one")
                #expect(open.body.contains(#""reasons":[{"code":"taken","message":"This name is taken."}]"#))
                let known = try await client.send("GET", "/v1/availability?handle=\(name)&suggestions=0")
                #expect(known.body.contains(#""state":"\#(state)""#))
                let own = try await client.send("GET", "/v1/availability?handle=\(name)&owner=one")
                #expect(own.json["status"] as? String == "available")
            }
        }
    }

    @Test func batchAnswersForEachNameAndIsRefusedWithMoreThan1000() async throws {
        try await withServer { _, anonymous in
            let answer = try await anonymous.send("POST", "/v1/availability", #"{"handles":["good_name","x","admin"]}"#)
            #expect(answer.status == 200)
            let results = try #require(answer.json["results"] as? [[String: Any]])
            #expect(results.map { $0["status"] as? String } == ["available", "invalid", "unavailable"])
            #expect(results.allSatisfy { $0["suggestions"] == nil })
            let many = (0...1000).map { "\"name\($0)\"" }.joined(separator: ",")
            #expect(try await anonymous.send("POST", "/v1/availability", "{\"handles\":[\(many)]}").status == 400)
        }
    }

    /// Each invalid character adds a reason, so the answer would be a hundred times as long as the request.
    @Test func batchWithTooManyReasonsGets400() async throws {
        try await withServer { _, anonymous in
            let letters = (0..<200).compactMap { UnicodeScalar(0x4E00 + $0) }
            let worst = String(String.UnicodeScalarView(letters))
            func ask(_ names: [String]) async throws -> HTTPAnswer {
                let list = names.map { "\"\($0)\"" }.joined(separator: ",")
                return try await anonymous.send("POST", "/v1/availability", "{\"handles\":[\(list)]}")
            }
            let refused = try await ask(Array(repeating: worst, count: 300))
            #expect(refused.status == 400 && refused.json["code"] as? String == "too_many_handles")
            let alone = try await ask([worst])
            #expect(alone.status == 200 && alone.body.contains("U+4EC7"))
            // Not checked against the contract, which takes seconds for an answer of this size.
            let usual = try await HTTPClient.$observer.withValue({ _, _, _ in }) {
                try await ask(Array(repeating: "ЛюбимоеИмя", count: 1000))
            }
            #expect(usual.status == 200)
        }
    }

    @Test func suggestionsAreMadeFromTheNameParameter() async throws {
        try await withServer { _, anonymous in
            let name = "Ольга Петрова".percentEncoded
            let answer = try await anonymous.send("GET", "/v1/availability?handle=x&name=\(name)&suggestions=20")
            let handles = (answer.json["suggestions"] as? [[String: Any]] ?? []).compactMap { $0["handle"] as? String }
            #expect(handles.count == 20)
            #expect(handles.contains("olgapetrova"))
        }
    }

    /// The longest values that the contract allows fit the limit on the request target, even if every byte is
    /// percent-encoded.
    @Test func longestQueryThatTheContractAllowsIsAnswered() async throws {
        try await withServer { client, _ in
            func longest(_ count: Int) -> String { String(repeating: "\u{1F600}", count: count).percentEncoded }
            let session = String(repeating: "~", count: 128).utf8.map { "%" + String($0, radix: 16) }.joined()
            let answer = try await client.send(
                "GET",
                "/v1/availability/live?handle=\(longest(200))&name=\(longest(256))&owner=\(longest(255))"
                    + "&session=\(session)&seq=9007199254740991&suggestions=20")
            #expect(answer.status == 200)
        }
    }
}
