import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles
import TestSupport
import Testing

@testable import NameFiles

@Suite struct RepairTests {
    private let folder = TemporaryFolder.make("repairs")

    /// Validates `names` with repairs.
    /// - Returns: the name and the repair of each refused row.
    private func repairs(
        of names: [String], format: ReportStyle.Format = .csv, registry: Registry? = nil
    ) async throws -> [(input: String, repair: String)] {
        let path = "\(folder)/names.txt"
        try Data((names.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
        var options = ValidateJob.Options(style: ReportStyle(format: format, valid: .left), jobs: 2)
        options.style.hasRepairs = true
        let job = ValidateJob(
            words: try .builtIn(), policy: registry?.policy ?? Policy(), registry: registry, options: options)
        let report = "\(folder)/report"
        _ = try await job.run(
            path: path, valid: nil, refused: try OutputFile(path: report, input: path), progress: { _ in })
        switch format {
        case .csv:
            let table = try CSVTable(report, columns: 10)
            return table.rows.indices.map { (table.text($0, 2), table.text($0, 9)) }
        case .json:
            let lines = try Data(contentsOf: URL(fileURLWithPath: report)).split(separator: UInt8(ascii: "\n"))
            return try lines.compactMap { line in
                let object = try JSONSerialization.jsonObject(with: line) as? [String: Any]
                guard object?["result"] as? String != "valid" else { return nil }
                return (object?["input"] as? String ?? "", object?["repair"] as? String ?? "")
            }
        }
    }

    @Test(arguments: [
        ("jürgen.müller", "jurgen_muller"), ("_janeroe", "janeroe"), ("jane-roe", "jane_roe"),
        ("JaneRoeOfLongName", "JaneRoeOfLongNa"), ("Ольга Петрова", "Olga_Petrova"), ("@jane!", "jane"),
        ("sean o'neill", "sean_oneill"), ("the north face jackets", "the_north_face"), ("Nestlé®", "Nestle"),
        ("jane.roe+news@mail.example", "jane_roe"), ("https://mail.example/@jane?lang=de", "jane"),
        ("MÃ¼ller", "Muller"),
    ])
    func repairsKeepTheLettersOfAMalformedName(_ name: String, _ repair: String) async throws {
        let found = try await repairs(of: [name])
        #expect(found.map(\.repair) == [repair])
    }

    @Test func repairsHaveNothingOfADomainOrATelephoneNumber() async throws {
        let found = try await repairs(of: ["jo@gmail.com", "jo@gmail.com", "+49 170 1234567", "+49 170 1234567"])
        #expect(found.allSatisfy { !$0.repair.isEmpty })
        #expect(found.prefix(2).allSatisfy { !$0.repair.lowercased().contains("gm") })
        #expect(found.suffix(2).allSatisfy { !$0.repair.contains(where: \.isNumber) })
    }

    @Test func repairsHaveNoOffensiveWord() async throws {
        let names = ["fuck.you", "fuckyou", "f u c k", "sh1t!", "mon-puta", "FÜCK"]
        let found = try await repairs(of: names)
        #expect(found.map(\.input) == names)
        for (name, repair) in found {
            #expect(
                !repair.isEmpty && !["fuck", "sh1t", "puta"].contains { repair.lowercased().contains($0) },
                "\(name) → \(repair)")
        }
    }

    /// Every repair is a valid name. It looks like no name of the file, later rows included, and like no other repair.
    @Test(arguments: [ReportStyle.Format.csv, .json])
    func repairsAreValidAndUnlikeAllOtherNames(_ format: ReportStyle.Format) async throws {
        var maker = try NameMaker(seed: 5)
        var names = (0..<3000).map { _ in
            String(
                decoding: maker.next().filter { $0 >= 0x20 && $0 != 0x22 && $0 != 0x2C && $0 != 0x5C }, as: UTF8.self)
        }
        names += (0..<400).map { "jane.roe\($0 % 7)" } + Array(repeating: "JaneRoe", count: 200)
        names += Array(repeating: "admin", count: 100) + ["jane_roe0", "janeroe1", "jane_roe2"]
        let words = try ReservedWords.builtIn()
        let found = try await repairs(of: names, format: format)
        var keys = Set(names.compactMap { Reading(typed: $0).handle.map { LookalikeKey($0) } })
        var repaired = 0
        for (input, repair) in found where !repair.isEmpty {
            repaired += 1
            let decision = Decision.decide(repair, words)
            #expect(decision.isAvailable, "\(input) → \(repair)")
            let handle = try #require(decision.handle)
            #expect(keys.insert(LookalikeKey(handle)).inserted, "\(input) → \(repair)")
        }
        #expect(repaired > found.count * 9 / 10)
        #expect(found.count > 1000)
    }

    @Test func repairsAreFreeInTheRegistry() async throws {
        let registry = try await freshRegistry()
        let wanted = ["jane.roe", "JaneRoe"]
        var taken: Set<String> = []
        // Every proposed repair is claimed, and must not be proposed again.
        for round in 0..<4 {
            for (_, repair) in try await repairs(of: wanted + wanted, registry: registry) {
                #expect(taken.insert(repair.lowercased()).inserted, "\(repair)")
                let owner = try #require(Owner("owner-\(round)-\(repair)"))
                #expect(try await registry.claim(repair, for: owner).kind == .done, "\(repair)")
            }
        }
        #expect(taken.count > 8)
    }

    /// A name that was released is free again although its look-alike key still has a row.
    @Test func repairIsANameThatIsFreeAgainUnderTheStrictPolicy() async throws {
        var policy = Policy()
        (policy.lookalikes, policy.quarantine) = (.strict, .zero)
        let registry = try await freshRegistry(policy: policy)
        #expect(try await registry.claim("jane_roe", for: try #require(Owner("one"))).kind == .done)
        #expect(try await repairs(of: ["jane-roe"], registry: registry).map(\.repair) != ["jane_roe"])
        try await registry.release(try #require(Handle("jane_roe")))
        #expect(try await repairs(of: ["jane-roe"], registry: registry).map(\.repair) == ["jane_roe"])
    }
}
