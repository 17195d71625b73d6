import Foundation
import HTTPTypes
import HandleRules
import TestSupport
import Testing

@testable import HandleServer

/// `ProblemType`, the contract and the problem pages agree.
@Suite struct ProblemTypeTests {
    private static let pages = ProblemPages.sections(of: String(decoding: Documents.problems, as: UTF8.self))

    private static func example(_ type: ProblemType) -> JSON? {
        Contract.document["components"]?["examples"]?["problem_\(type.code)"]?["value"]
    }

    @Test(arguments: ProblemType.allCases) func problemTypeHasAnExampleAndAPage(_ type: ProblemType) throws {
        let example = try #require(Self.example(type))
        #expect(example["type"] == .string("/problems/\(type.code)"))
        #expect(example["title"] == .string(type.title))
        #expect(example["status"] == .number(Double(type.status.code)))
        let page = try #require(Self.pages[type.code])
        #expect(page.hasPrefix("# \(type.code)\n\n\(type.title): status \(type.status.code).\n"))
        for part in ["**What happened.** ", "**What to do.** ", "**Send it again?** "] {
            #expect(page.contains("\n\n" + part), "\(part)")
        }
        let json = try #require(page.split(separator: "```json\n").last?.split(separator: "\n```").first)
        #expect(try JSON(parsing: Array(json.utf8)) == example)
    }

    @Test func everyProblemPageBelongsToAProblemType() {
        #expect(Set(Self.pages.keys) == Set(ProblemType.allCases.map(\.code)))
    }

    @Test func everyReasonIsTheCodeOfAProblemType() {
        let reasons = Reason.Code.allCases.map(\.rawValue)
        #expect(ProblemType.allCases.prefix(reasons.count).map(\.code) == reasons)
    }

    @Test func problemCodesAreListedUnderTheirOwnStatus() throws {
        var listed: Set<String> = []
        for call in Contract.calls {
            for (status, response) in call.responses {
                guard let media = response["content"]?["application/problem+json"] else { continue }
                #expect(media["schema"] == .object(["$ref": .string("#/components/schemas/Problem")]))
                // The examples are named after the codes that the response can have.
                let types = try (media["examples"]?.members ?? [:]).map { code, example in
                    #expect(Contract.schema.resolved(example)?["value"]?["code"] == .string(code))
                    return try #require(ProblemType(rawValue: code))
                }
                #expect(types.allSatisfy { "\($0.status.code)" == status }, "\(call.method) \(call.path) \(status)")
                listed.formUnion(types.map(\.code))
            }
        }
        #expect(listed == Set(ProblemType.allCases.map(\.code)).subtracting(["method_not_allowed", "slow_reader"]))
    }

    @Test func problemPageIsServedAtTheAddressInType() async throws {
        try await withServer { _, anonymous in
            for type in ProblemType.allCases {
                let page = try await anonymous.send("GET", "/problems/\(type.code)")
                #expect(page.status == 200 && page.body == Self.pages[type.code])
                #expect(page.headers["content-type"] == "text/markdown; charset=utf-8")
            }
            let refused = try await anonymous.send("GET", "/v1/handles/ab")
            let address = try #require(refused.json["type"] as? String)
            let page = try await anonymous.send("GET", address)
            #expect(page.body.contains("fewer than 3 characters"))
            let unknown = try await anonymous.send("GET", "/problems/nonsense")
            #expect(unknown.status == 404 && unknown.json["code"] as? String == "not_found")
        }
    }
}
