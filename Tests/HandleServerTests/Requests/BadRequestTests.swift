import TestSupport
import Testing

@Suite struct BadRequestTests {
    @Test func invalidRequestGetsAProblemDocument() async throws {
        try await withServer { client, anonymous in
            let long = String(repeating: "a", count: 10_240)
            for path in [
                "/v1/availability", "/v1/availability?handle=%00abc", "/v1/availability?handle=%ff%fe",
                "/v1/availability?handle=%4", "/v1/availability?handle=\(long)", "/v1/availability?handle=a&handle=b",
                "/v1/availability?\((0..<100).map { "p\($0)=1" }.joined(separator: "&"))&p50=1&handle=abc",
                "/v1/availability?handle=abc&suggestions=21", "/v1/availability?handle=abc&suggestions=x",
                "/v1/availability?handle=abc&name=\(long)",
                "/v1/availability?handle=abc&owner=", "/nothing", "/v1/handles/%00", "/v1/handles/\(long)",
                "/v1/handles/ab", "/", "/v1", "//", "/v1/handles/", "/v1/handles/a/b",
            ] { expectProblem(try await anonymous.send("GET", path), "GET \(path.prefix(60))") }

            for body in [
                "", " ", "{", "[]", "null", "1", #""x""#, "{}", #"{"owner":1}"#, #"{"owner":null}"#, #"{"owner":""}"#,
                #"{"owner":"a\u0000b"}"#, #"{"owner":["x"]}"#, #"{"owner":"x","display":7}"#, "{\"owner\":\"x\"",
                #"{"owner":"x","hold":"a\u0000b"}"#, #"{"owner":"x","hold":"é"}"#,
                #"{"owner":"\#(long)"}"#, String(repeating: "[", count: 100_000),
            ] {
                let answer = try await client.send("PUT", "/v1/handles/johndoe", body)
                expectProblem(answer, "PUT \(body.prefix(40))")
            }
            let tooLarge = #"{"owner":"\#(String(repeating: "a", count: 300_000))"}"#
            #expect(try await client.send("PUT", "/v1/handles/johndoe", tooLarge).status == 413)
            // None of these requests has changed anything.
            #expect(try await client.send("GET", "/v1/handles/johndoe").status == 404)
        }
    }

    /// ` 42` and `42` would be displayed alike, and have two limits of names.
    @Test(arguments: [" 42", "42 ", "\u{A0}42", "42\u{200B}", "\u{FEFF}42"])
    func ownerIDWithUnseenCharactersAtItsEndsGets400OnEveryRoute(_ owner: String) async throws {
        try await withServer { client, anonymous in
            let encoded = owner.utf8.map { ($0 < 0x10 ? "%0" : "%") + String($0, radix: 16) }.joined()
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"42"}"#)
            for (method, path, body) in [
                ("GET", "/v1/availability?handle=janedoe&owner=\(encoded)", nil),
                ("POST", "/v1/holds", #"{"handle":"janedoe","owner":"\#(owner)"}"#),
                ("PUT", "/v1/handles/janedoe", #"{"owner":"\#(owner)"}"#),
                ("POST", "/v1/handles/johndoe/rename", #"{"to":"janedoe","owner":"\#(owner)"}"#),
                ("DELETE", "/v1/handles/johndoe?owner=\(encoded)", nil), ("GET", "/v1/owners/\(encoded)/handles", nil),
                ("DELETE", "/v1/owners/\(encoded)", nil), ("GET", "/v1/owners/\(encoded)/lock", nil),
                ("PUT", "/v1/owners/\(encoded)/lock", #"{"reason":"r"}"#),
                ("DELETE", "/v1/owners/\(encoded)/lock", nil),
                ("POST", "/v1/handles/johndoe/offer", #"{"owner":"\#(owner)"}"#),
                ("POST", "/v1/handles/johndoe/assign", #"{"to":"\#(owner)","reason":"r"}"#),
                ("POST", "/v1/handles/johndoe/assign", #"{"to":"two","from":"\#(owner)","reason":"r"}"#),
                ("POST", "/v1/reservations", #"{"handle":"acme","owner":"\#(owner)","reason":"r"}"#),
            ] as [(String, String, String?)] {
                let answer = try await client.send(method, path, body)
                expectProblem(answer, "\(method) \(path)", 400...400)
                #expect(answer.json["code"] as? String == "invalid_owner")
                #expect((answer.json["detail"] as? String)?.contains("white space") == true)
            }
            expectProblem(
                try await anonymous.send("GET", "/v1/availability?handle=abc&owner=\(encoded)"), "", 400...400)
            #expect(try await client.send("GET", "/v1/owners/42/handles").body.contains("johndoe"))
            #expect(try await client.send("GET", "/v1/handles/janedoe").status == 404)
        }
    }

    @Test func unsupportedMethodGets405WithAllow() async throws {
        try await withServer { client, _ in
            for (method, path, allow) in [
                ("POST", "/v1/handles/abc", "GET, HEAD, PUT, PATCH, DELETE"),
                ("DELETE", "/v1/availability", "GET, HEAD, POST"),
                ("GET", "/v1/holds", "POST"), ("PUT", "/livez", "GET, HEAD"), ("QUERY", "/v1/holds", "POST"),
                ("TRACE", "/livez", "GET, HEAD"), ("PROPFIND", "/v1/handles/abc", "GET, HEAD, PUT, PATCH, DELETE"),
            ] {
                let answer = try await client.send(method, path, "{}")
                expectProblem(answer, "\(method) \(path)", 405...405)
                #expect(answer.headers["allow"] == allow)
            }
        }
    }

    @Test func protectedRouteWithoutAValidKeyGets401() async throws {
        try await withServer { client, anonymous in
            // Without issuers a text in the form of a token is read as a key, because the first key may have that form.
            for (key, code) in [
                (nil, "no_key"), (testKey + "x", "wrong_key"), ("e30.e30.c2ln", "tokens_not_accepted"),
            ] {
                let answer = try await HTTPClient(port: client.port, key: key).send("POST", "/v1/holds", "{}")
                expectProblem(answer, code, 401...401)
                #expect(answer.json["code"] as? String == code)
                #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
            }
            func status(_ header: String) async throws -> Int {
                let path = "/v1/availability?handle=some_name"
                return try await anonymous.send("GET", path, headers: ["Authorization": header]).status
            }
            for header in ["Basic abc", "Bearer", "Bearer ", testKey, "Bearer \(testKey.dropLast())"] {
                #expect(try await status(header) == 401, "\(header)")
            }
            // The scheme is case-insensitive (RFC 9110, 11.1).
            #expect(try await status("bearer \(testKey)") == 200)
        }
    }
}
