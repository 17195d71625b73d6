import Foundation
import HTTPTypes
import HandleRegistry
import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleServer

@Suite struct ContractTests {
    @Test func contractHasExactlyTheRoutesOfTheServiceWithTheirScopes() throws {
        let registry = try Registry(pool: Pool(.init(conninfo: "host=/nonexistent dbname=x")))
        let (routes, _) = serviceRoutes(registry: registry, keys: KeyRing(), configuration: ServerConfiguration())
        let served = routes.list.map { "\($0.method.rawValue) \($0.path)" }.sorted()
        #expect(served == Contract.calls.map { "\($0.method) \($0.path)" }.sorted())
        // A new route must be added to these calls, with the scope that it needs.
        #expect(served == RouteCall.all.map(\.route).sorted())
        for call in Contract.calls {
            let security = call.operation["security"]?.elements ?? []
            let named = security.compactMap { $0["accessKey"]?.elements.first?.text }.first
            let isOptional = security.isEmpty || security.contains(.object([:]))
            let needed = RouteCall.all.first { $0.route == "\(call.method) \(call.path)" }?.scope
            #expect((needed == nil) == isOptional && needed?.rawValue == (isOptional ? nil : named), "\(call.path)")
        }
    }

    @Test func contractHasThisVersionAndDescribesEveryCall() {
        #expect(Contract.document["openapi"] == .string("3.1.0"))
        #expect(Contract.document["info"]?["version"] == .string(Version.current))
        let tags = Set((Contract.document["tags"]?.elements ?? []).compactMap { $0["name"]?.text })
        for call in Contract.calls {
            for name in ["operationId", "summary", "description"] {
                #expect(call.operation[name]?.text?.isEmpty == false, "\(call.method) \(call.path) has no \(name)")
            }
            #expect(tags.isSuperset(of: (call.operation["tags"]?.elements ?? []).compactMap(\.text)))
        }
        #expect(Set(Contract.calls.map { $0.operation["operationId"] }).count == Contract.calls.count)
    }

    @Test func contractHasNoBrokenReferenceAndNoUnusedComponent() {
        let references = Contract.document.everything.compactMap { $0.value["$ref"] }
        #expect(references.count > 100)
        for reference in references { #expect(Contract.schema.resolved(.object(["$ref": reference])) != nil) }
        let operations = Set(Contract.calls.map { $0.operation["operationId"] })
        for (place, value) in Contract.document.everything where place.contains("/links/") {
            if let operation = value["operationId"] { #expect(operations.contains(operation), "\(place)") }
        }
        // A method that a path does not have can't be documented at the path. A slow reader gets the problem in a stream.
        let aside = ["#/components/responses/MethodNotAllowed", "#/components/examples/problem_slow_reader"]
        for kind in ["schemas", "parameters", "headers", "responses", "examples", "links"] {
            for name in Contract.document["components"]?[kind]?.members.keys.sorted() ?? [] {
                let reference = "#/components/\(kind)/\(name)"
                #expect(references.contains(.string(reference)) || aside.contains(reference), "\(reference)")
            }
        }
    }

    @Test func contractHasValidExamplesForAllRequestsAndResponses() {
        var count = 0
        for (place, value) in Contract.document.everything {
            // Here a member named `schema` is not a schema.
            guard !place.hasSuffix("/properties"), !place.hasSuffix("/value"), let schema = value["schema"] else {
                continue
            }
            var examples = (value["examples"]?.members ?? [:]).mapValues { Contract.schema.resolved($0)?["value"] }
            if let example = value["example"] { examples["example"] = example }
            // An example of an `Idempotency-Key` would be copied, and every copy would count as the same request.
            let needsNone = place.contains("/headers/") || place.contains("IdempotencyKey")
            #expect(!examples.isEmpty || needsNone, "\(place) has no example")
            for (name, example) in examples {
                count += 1
                #expect(Contract.schema.faults(in: example ?? .null, by: schema) == [], "\(place): \(name)")
            }
        }
        for (name, schema) in Contract.document["components"]?["schemas"]?.members ?? [:] {
            for example in schema["examples"]?.elements ?? [] {
                #expect(Contract.schema.faults(in: example, by: schema) == [], "\(name)")
            }
        }
        #expect(count > 100)
    }

    /// ``withServer`` checks every answer in this way, so the check itself must find differences.
    @Test(
        arguments: [
            ("GET", "/version", 200, #"{"version":"1","schema":8,"traits":[]}"#, [:], nil),
            ("GET", "/version", 201, #"{"version":"1","schema":8,"traits":[]}"#, [:], "the status is not documented"),
            (
                "GET", "/version", 200, #"{"version":"1","schema":8,"traits":[],"more":1}"#, [:],
                "body/more is not documented"
            ),
            ("GET", "/version", 200, #"{"version":"1"}"#, [:], "'schema' is missing"),
            ("GET", "/version", 200, #"{"version":1,"schema":8,"traits":[]}"#, [:], "is not of type"),
            ("GET", "/version", 200, "{", [:], "the body is not JSON"),
            ("GET", "/version", 200, "ok", ["content-type": "text/plain"], "the content type 'text/plain'"),
            (
                "GET", "/version", 200, #"{"version":"1","schema":8,"traits":[]}"#, ["x-more": "1"],
                "the header x-more is not"
            ),
            (
                "GET", "/version", 200, #"{"version":"1","schema":8,"traits":[]}"#, ["cache-control": "public"],
                "header Cache-Control"
            ),
            ("DELETE", "/version", 200, "", [:], "the status is not documented"),
            ("GET", "/nothing", 200, "", [:], "the status is not documented"),
        ] as [(String, String, Int, String, [String: String], String?)])
    func answerCheckFindsDifferencesFromTheContract(
        _ method: String, _ path: String, _ status: Int, _ body: String, _ headers: [String: String], _ fault: String?
    ) {
        let usual = ["content-type": "application/json", "cache-control": "no-store", "x-request-id": "1"]
        let answer = HTTPAnswer(status: status, headers: usual.merging(headers) { $1 }, body: body)
        let faults = Contract.faults(method, path, answer)
        #expect(fault.map { fault in faults.contains { $0.contains(fault) } } ?? faults.isEmpty, "\(faults)")
    }

    /// Each row changes a refusal in one place.
    @Test(
        arguments: [
            ("409", "409", nil),
            ("409", "410", "the member 'status' is not that of 'taken'"),
            ("Name taken", "Taken", "the member 'title' is not that of 'taken'"),
            ("/problems/taken", "/problems/lookalike", "the member 'type' is not that of 'taken'"),
            (#""code":"taken","reasons""#, #""code":"lookalike","reasons""#, "'lookalike' is not documented for this"),
            (#""code":"taken","message""#, #""code":"all_digits","message""#, "the first reason is 'all_digits', not"),
            (#""code":"taken","message""#, #""code":"unknown","message""#, "\"unknown\") is not one of"),
            (#""code":"taken","message""#, #""code":"too_short","message""#, "'length' is missing"),
            (#""state":"claimed""#, #""state":"free""#, "\"free\") is not one of"),
            (#""state":"claimed""#, #""state":"claimed","limit":1"#, "body/reasons/0/limit: is not allowed"),
            (#""state":"claimed""#, #""more":1"#, "body/reasons/0/more is not documented"),
            (#""reasons""#, #""scope":"read","reasons""#, "body/scope: is not allowed"),
            (#""reasons""#, #""more""#, "'reasons' is missing"),
        ] as [(String, String, String?)])
    func answerCheckFindsDifferencesInProblems(_ text: String, _ replacement: String, _ fault: String?) {
        let problem = #"""
            {"type":"/problems/taken","title":"Name taken","status":409,"detail":"Taken.","code":"taken","reasons":
            [{"code":"taken","message":"This name is taken.","state":"claimed"}]}
            """#
        let headers = [
            "content-type": "application/problem+json", "cache-control": "no-store", "x-request-id": "1",
        ]
        let faults = Contract.faults(
            "PUT", "/v1/handles/johndoe",
            HTTPAnswer(status: 409, headers: headers, body: problem.replacing(text, with: replacement)))
        #expect(fault.map { fault in faults.contains { $0.contains(fault) } } ?? faults.isEmpty, "\(faults)")
    }

    @Test func contractAllowsNoUnknownMembersInRequestBodies() {
        var count = 0
        for call in Contract.calls {
            guard let body = call.operation["requestBody"] else { continue }
            count += 1
            let schema = body["content"]?["application/json"]?["schema"].flatMap { Contract.schema.resolved($0) }
            #expect(schema?["additionalProperties"] == .bool(false), "\(call.method) \(call.path)")
        }
        #expect(count == 10)
    }

    /// The values come from the Swift enums.
    @Test func contractListsEveryValueOfItsEnumerations() {
        func values(_ path: String...) -> Set<String> {
            let schemas = Contract.document["components"]?["schemas"]
            let schema = path.reduce(schemas) { $0?[$1] }
            return Set((schema?["enum"]?.elements ?? []).compactMap(\.text))
        }
        #expect(values("ProblemCode") == Set(ProblemType.allCases.map(\.code)))
        #expect(values("ReasonCode") == Set(Reason.Code.allCases.map(\.rawValue)))
        #expect(values("State") == Set(Handle.State.allCases.filter { $0 != .free }.map(\.rawValue)))
        #expect(values("StateOrFree") == Set(Handle.State.allCases.map(\.rawValue)))
        #expect(values("HandleRecord", "properties", "state") == values("State").union(["moved"]))
        #expect(values("FeedEvent", "properties", "action") == Set(Event.Action.allCases.map(\.rawValue)))
        #expect(values("Suggestion", "properties", "method") == Set(Suggestion.Method.allCases.map(\.rawValue)))
        #expect(values("Problem", "properties", "scope") == Set(KeyScope.allCases.map(\.rawValue)))
    }

    /// All unseen characters of the basic plane, and some others, at each end. The pattern leaves out the unseen ones of
    /// other planes.
    @Test func contractHasTheRuleOfOwnerIDs() throws {
        let pattern = try #require(Contract.document["components"]?["schemas"]?["OwnerID"]?["pattern"]?.text)
        let expression = try NSRegularExpression(pattern: pattern)
        let scalars = (0...0xFFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        for scalar in scalars where scalar.isUnseen || scalar.value % 31 == 0 {
            for id in ["\(scalar)x", "x\(scalar)", "x\(scalar)x", "\(scalar)"] {
                // Unlike in JavaScript, `$` also matches before a line end.
                let all = NSRange(id.startIndex..., in: id)
                let isMatch = expression.firstMatch(in: id, range: all)?.range == all
                if isMatch != (Owner(id) != nil) {
                    Issue.record("U+\(String(scalar.value, radix: 16)) in \(id.utf8.count) bytes")
                }
            }
        }
    }

    @Test func contractIsServedWithAnETagForConditionalRequests() async throws {
        try await withServer { _, anonymous in
            let answer = try await anonymous.send("GET", "/openapi.json")
            #expect(answer.status == 200 && Array(answer.body.utf8) == Contract.bytes)
            let tag = try #require(answer.headers["etag"])
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let again = try await anonymous.send("GET", "/openapi.json", headers: ["If-None-Match": known])
                #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag, "\(known)")
            }
            let other = try await anonymous.send("GET", "/openapi.json", headers: ["If-None-Match": "\"other\""])
            #expect(other.status == 200)
        }
    }
}
