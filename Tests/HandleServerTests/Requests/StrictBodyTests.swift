import HTTPTypes
import HandleRegistry
import Postgres
import TestSupport
import Testing

@testable import HandleServer

/// Every route reads its body as strictly as its query.
@Suite struct StrictBodyTests {
    /// A mistyped condition must not be ignored: the write would be made without it.
    @Test func unknownQueryParameterOfAWriteGets400() async throws {
        try await withServer { client, _ in
            _ = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#)
            for (method, path, body) in [
                ("DELETE", "/v1/handles/johndoe?onwer=two", nil), ("DELETE", "/v1/handles/johndoe?owner=one&x=1", nil),
                ("DELETE", "/v1/owners/one?force=1", nil),
                ("PUT", "/v1/handles/janedoe?owner=two", #"{"owner":"one"}"#),
                ("PATCH", "/v1/handles/johndoe?owner=two", #"{"display":"JohnDoe"}"#),
                ("POST", "/v1/holds?ttl=1", #"{"handle":"janedoe","owner":"one"}"#),
                ("POST", "/v1/handles/johndoe/rename?owner=two", #"{"to":"janedoe","owner":"one"}"#),
                ("POST", "/v1/handles/johndoe/assign?from=three", #"{"to":"two","reason":"r"}"#),
                ("DELETE", "/v1/handles/johndoe?quarantine=no", nil),
            ] {
                let answer = try await client.send(method, path, body)
                #expect(answer.status == 400 && answer.json["code"] as? String == "invalid_parameter", "\(path)")
            }
            let mistyped = try await client.send("DELETE", "/v1/handles/johndoe?onwer=two")
            #expect((mistyped.json["detail"] as? String)?.contains("did you mean 'owner'?") == true)
            #expect(try await client.send("GET", "/v1/handles/johndoe").json["display"] as? String == "johndoe")
        }
    }

    /// The body of a claim, the `code` of the problem, and texts that its `detail` contains.
    private static let claims: [(String, String, [String])] = [
        (#"{"owner":"a","owner":"b"}"#, "invalid_json", ["'owner'", "twice"]),
        (#"{"owner":"a","\u006fwner":"a"}"#, "invalid_json", ["'owner'", "twice"]),
        (#"{"owner":{"x":1,"x":2}}"#, "invalid_json", ["'owner.x'", "twice"]),
        (#"{"owner":[{"x":1,"x":2}]}"#, "invalid_json", ["'owner.0.x'", "twice"]),
        (#"{"owner":"a",}"#, "invalid_json", ["comma", "leave it out"]),
        (#"{"owner":["a",]}"#, "invalid_json", ["'owner'", "comma"]),
        (#"{,"owner":"a"}"#, "invalid_json", ["at byte 2"]),
        ("{\"owner\":\"a\tb\"}", "invalid_json", ["'owner'", "U+0009", #"\u0009"#]),
        ("{\"owner\":\"a\nb\"}", "invalid_json", ["'owner'", "U+000A"]),
        ("\u{FEFF}{\"owner\":\"a\"}", "invalid_json", ["byte order mark"]),
        (#"{"owner":"a"}{"owner":"b"}"#, "invalid_json", ["at byte 14", "one JSON value"]),
        (#"{"owner":"a"} x"#, "invalid_json", ["at byte 15"]),
        (#"{"owner":"a""#, "invalid_json", ["ends before"]),
        (#"{"owner":"\x"}"#, "invalid_json", ["'owner'", "backslash"]),
        (#"{"owner":"\ud800"}"#, "invalid_json", ["'owner'", "surrogate"]),
        (#"{'owner':'a'}"#, "invalid_json", ["at byte 2"]),
        (#"{"owner":NaN}"#, "invalid_json", ["'owner'", "at byte 10"]),
        (#"{"owner":01}"#, "invalid_json", ["'owner'", "number"]),
        (#"{"owner":"a"/**/}"#, "invalid_json", ["at byte 13"]),
        (#"{"dispaly":"JohnDoe","owner":"a"}"#, "invalid_field", ["'dispaly'", "did you mean 'display'?", "'hold'"]),
        (#"{"OWNER":"a"}"#, "invalid_field", ["'OWNER'", "did you mean 'owner'?"]),
        (#"{"owner":"a","x_trace":"1"}"#, "invalid_field", ["'x_trace'", "'display', 'owner' and 'hold'"]),
        (#"{"owner":"a","":1}"#, "invalid_field", ["'' is not a field"]),
    ]

    @Test(arguments: claims) func invalidJSONOrUnknownMemberGets400(_ body: String, _ code: String, _ words: [String])
        async throws
    {
        try await withServer { client, _ in
            let answer = try await client.send("PUT", "/v1/handles/johndoe", body)
            let detail = answer.json["detail"] as? String ?? ""
            #expect(answer.status == 400 && answer.json["code"] as? String == code, "\(answer.body)")
            for word in words { #expect(detail.contains(word), "\(detail)") }
            // Nothing was claimed.
            #expect(try await client.send("GET", "/v1/handles/johndoe").status == 404)
        }
    }

    @Test(arguments: [
        ("60.0", "fraction"), ("6e1", "fraction"), ("6E+1", "fraction"), ("60.5", "fraction"),
        ("99999999999999999999", "out of range"), ("-1", "'ttl_seconds'"), ("3601", "'ttl_seconds'"),
        ("0", "'ttl_seconds'"),
        ("1e999", "fraction"), ("060", "number"), ("+60", "at byte"), (#""60""#, "'ttl_seconds'"),
        ("true", "'ttl_seconds'"),
    ]) func numberThatIsNoIntegerInRangeGets400(_ number: String, _ word: String) async throws {
        try await withServer { client, _ in
            let body = #"{"handle":"johndoe","owner":"one","ttl_seconds":\#(number)}"#
            let answer = try await client.send("POST", "/v1/holds", body)
            #expect(answer.status == 400, "\(answer.body)")
            let detail = answer.json["detail"] as? String ?? ""
            #expect(detail.contains(word) && detail.contains("ttl_seconds"), "\(detail)")
        }
    }

    /// Routes without a body are included, and new routes too, through ``RouteCall/all``.
    @Test func everyWriteRefusesInvalidBodies() async throws {
        try await withServer { client, anonymous in
            for call in RouteCall.all where ["POST", "PUT", "PATCH", "DELETE"].contains(call.method) {
                let (path, body) = call.example(handle: "some_name", owner: "one")
                let good = body ?? "{}"
                let separator = good == "{}" ? "" : ","
                for (wrong, word) in [
                    (good.dropLast() + separator + #""unknown":1}"#, "'unknown' is not a field"),
                    (good.dropLast() + separator + #""x":1,"x":1}"#, "twice"),
                    (good + good, "one JSON value"),
                ] {
                    let answer = try await client.send(call.method, path, String(wrong))
                    #expect(answer.status == 400, "\(call.route) \(wrong): \(answer.status)")
                    #expect((answer.json["detail"] as? String)?.contains(word) == true, "\(call.route) \(answer.body)")
                }
            }
        }
    }

    /// A problem quotes at most 64 characters of the name of an unknown member.
    @Test func problemShortensALongMemberName() async throws {
        try await withServer { client, _ in
            let name = String(repeating: "n", count: 100_000)
            let answer = try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"a","\#(name)":1}"#)
            #expect(answer.status == 400 && answer.body.utf8.count < 1_000)
        }
    }

    @Test func validJSONIsAcceptedInEverySpelling() async throws {
        try await withServer { client, _ in
            let body = " {\r\n\t\"display\" : null , \"owner\":\"\\u0075ser-\\ud83d\\ude00\\/\" , \"hold\":null } \n"
            let answer = try await client.send("PUT", "/v1/handles/johndoe", body)
            #expect(answer.status == 201 && answer.json["owner"] as? String == "user-😀/")
            let hold = #"{"handle":"janedoe","owner":"one","ttl_seconds":60}"#
            #expect(try await client.send("POST", "/v1/holds", hold).status == 201)
            // An empty object is the same as no body.
            #expect(try await client.send("DELETE", "/v1/handles/johndoe", "{}").status == 204)
        }
    }
}
