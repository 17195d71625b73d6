import Foundation
import HandleClient
import HandleRules
import TestService
import TestSupport
import Testing

@testable import HandleServer

@Suite struct ProblemTests {
    private func problem(_ json: String, status: Int = 400, fields: [String: String] = [:]) async throws
        -> HandleProblem
    {
        let transport = ScriptedTransport { _, _ in .json(json, status: status, fields: fields) }
        let client = try RegistryClient(
            base: #require(URL(string: "https://handles.example")), transport: transport, limits: .once)
        do {
            _ = try await client.availability(of: "janeroe")
        } catch {
            return try #require(error.problem, "\(error)")
        }
        throw HandleClientError.answerLost
    }

    @Test func problemCodesAreThoseOfTheContract() throws {
        let listed = try Repository.text("Sources/HandleClient/ProblemCode.swift").matches(
            of: #/ProblemCode\("(\w+)"\)/#)
        #expect(listed.map { String($0.1) } == ProblemType.allCases.map(\.code))
    }

    /// The examples in docs/problems.md.
    @Test func documentedProblemsAreAllRead() async throws {
        let document = try Repository.text("docs/problems.md")
        let examples = document.matches(of: /```json\n(\{.*?\n\})\n```/.dotMatchesNewlines()).map { String($0.1) }
        var codes: Set<String> = []
        for example in examples {
            let members = try #require(
                try JSONSerialization.jsonObject(with: Data(example.utf8)) as? [String: Any], "\(example)")
            let status = try #require(members["status"] as? Int)
            let problem = try await problem(example, status: status)
            codes.insert(problem.code.rawValue)
            #expect(problem.code.rawValue == members["code"] as? String)
            #expect(problem.detail == members["detail"] as? String)
            #expect(problem.title == members["title"] as? String && problem.scope == members["scope"] as? String)
            let reasons = (members["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
            #expect(problem.reasons.map(\.code.rawValue) == reasons)
            #expect(!problem.reasons.map(\.kind).contains(.other))
        }
        #expect(codes == Set(ProblemType.allCases.map(\.code)))
    }

    @Test func problemOfANewerServiceIsKeptComplete() async throws {
        let json =
            #"{"type":"/problems/too_rude","title":"Too rude","status":422,"detail":"No.","code":"too_rude","meter":7,"#
            + #""reasons":[{"code":"rude","message":"This is rude.","words":["x"]},{"code":"too_long","message":"Long.","length":"many"}]}"#
        let problem = try await problem(json, status: 422, fields: ["x-request-id": "abc", "retry-after": "3"])
        #expect(problem.code == ProblemCode(rawValue: "too_rude") && problem.status == 422)
        #expect(problem.reasons.map(\.code) == [ProblemCode(rawValue: "rude"), .tooLong])
        #expect(problem.reasons.map(\.kind) == [.other, .other])
        #expect(problem.reasons.map(\.message) == ["This is rude.", "Long."])
        #expect(problem.document == Data(json.utf8) && problem.requestID == "abc" && problem.retryAfter == .seconds(3))
    }

    /// Every reason with its facts. Some facts are only given to callers with a key, so both forms are read.
    @Test func reasonsAreAllReadWithTheirFacts() async throws {
        let end = Date(timeIntervalSince1970: 1_800_000_000)
        let reasons = [
            #"{"code":"too_short","message":"m","length":2}"#, #"{"code":"too_long","message":"m","length":16}"#,
            #"{"code":"invalid_character","message":"m","character":"а","codepoint":"U+0430","name":"CYRILLIC SMALL LETTER A","offset":1,"looks_like":"a"}"#,
            #"{"code":"invalid_character","message":"m","character":"é","codepoint":"U+00E9","name":null,"offset":0}"#,
            #"{"code":"leading_underscore","message":"m"}"#, #"{"code":"all_digits","message":"m"}"#,
            #"{"code":"reserved_word","message":"m","category":"roles"}"#,
            #"{"code":"reserved_word","message":"m","category":"roles","word":"admin"}"#,
            #"{"code":"lookalike","message":"m"}"#, #"{"code":"lookalike","message":"m","original":"johndoe"}"#,
            #"{"code":"taken","message":"m"}"#, #"{"code":"taken","message":"m","state":"held"}"#,
            #"{"code":"owner_full","message":"m","limit":1}"#,
            #"{"code":"too_many_changes","message":"m","until":"2027-01-15T08:00:00.000Z"}"#,
            #"{"code":"owner_locked","message":"m","until":"2027-01-15T08:00:00Z"}"#,
            #"{"code":"owner_locked","message":"m","until":null}"#,
        ].joined(separator: ",")
        let problem = try await problem(
            #"{"title":"t","detail":"d","code":"taken","reasons":[\#(reasons)]}"#, status: 409)
        #expect(
            problem.reasons.map(\.kind) == [
                .tooShort(length: 2), .tooLong(length: 16),
                .invalidCharacter(
                    InvalidCharacter(scalar: "\u{430}", offset: 1, name: "CYRILLIC SMALL LETTER A", lookalike: "a")),
                .invalidCharacter(InvalidCharacter(scalar: "\u{E9}", offset: 0)), .leadingUnderscore, .allDigits,
                .reservedWord(category: "roles", word: nil), .reservedWord(category: "roles", word: "admin"),
                .lookalike(original: nil), .lookalike(original: Handle("johndoe")), .taken(nil), .taken(.held),
                .ownerFull(limit: 1), .tooManyChanges(until: end), .ownerLocked(until: end), .ownerLocked(until: nil),
            ])
        #expect(problem.reasons.allSatisfy { Reason.Code(rawValue: $0.code.rawValue) != nil })
    }
}
