import HandleRegistry
import HandleRules
import HandleWords
import NameFiles
import TestSupport
import Testing

@testable import NameFiles

/// A dry run reports what the run reports after it.
@Suite struct DryRunTests {
    private let scratch = Scratch()

    private static func policy(_ lookalikes: Policy.Lookalikes) -> Policy {
        var policy = Policy()
        policy.lookalikes = lookalikes
        policy.perOwner = 2
        return policy
    }

    /// Some of the names look alike, are the same, reserved words or malformed.
    private static func name(_ random: inout SeededGenerator) -> String {
        let name = distinctName(Int.random(in: 0..<700, using: &random))
        return switch Int.random(in: 0..<20, using: &random) {
        case 0: name.prefix(1).uppercased() + name.dropFirst()
        case 1, 2: name + "_"
        case 3: "_" + name
        case 4: "adm1n"
        case 5: "support"
        case 6: name + "!"
        case 7: ""
        case 8: "x\u{FEFF}" + name
        default: name
        }
    }

    private static func owner(_ random: inout SeededGenerator) -> String {
        "owner-\(Int.random(in: 0..<300, using: &random))"
    }

    /// A registry in which some of the names are claimed, held, in quarantine, or reserved.
    /// - Returns: the registry, and rows of names with their owners.
    private func registry(
        _ lookalikes: Policy.Lookalikes, _ random: inout SeededGenerator
    ) async throws -> (registry: Registry, claimed: [String]) {
        var claimed: [String] = []
        let registry = try await freshRegistry(policy: Self.policy(lookalikes))
        for index in 0..<150 {
            let name = distinctName(Int.random(in: 0..<700, using: &random)) + (index % 5 == 0 ? "_" : "")
            let owner = try #require(Owner(Self.owner(&random)))
            switch index % 6 {
            case 0: _ = try await registry.hold(name, for: owner)
            case 1: _ = try await registry.reserve(name, Reservation(reason: "ours"))
            case 2: _ = try await registry.reserve(name, Reservation(reason: "promised", owner: owner))
            case 3:
                if case .done(let record) = try await registry.claim(name, for: owner) {
                    try await registry.release(record.handle)
                }
            default:
                if case .done = try await registry.claim(name, for: owner) { claimed.append("\(owner.id),\(name),\n") }
            }
        }
        return (registry, claimed)
    }

    /// The report and the summary of a run that writes to a file.
    private func report(_ run: (OutputFile) async throws -> Summary) async throws -> (text: String, summary: Summary) {
        let summary = try await run(OutputFile(path: "\(scratch.path)/report", input: "/nothing"))
        return (String(decoding: try scratch.contents("report"), as: UTF8.self), summary)
    }

    /// Long rows make several chunks of the file.
    @Test(arguments: Policy.Lookalikes.allCases, [UInt64(1), 2])
    func dryRunOfClaimsReportsWhatTheRunReports(_ lookalikes: Policy.Lookalikes, _ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let (registry, claimed) = try await registry(lookalikes, &random)
        let note = String(repeating: "x", count: 200)
        var rows = "owner,name,note\n" + claimed.prefix(20).joined()
        for row in 0..<1980 {
            let name = Self.name(&random)
            switch row % 97 {
            case 0: rows += "alone\n"
            case 1: rows += ",\(name),\n"
            default: rows += "\(Self.owner(&random)),\(name),\(note)\n"
            }
        }
        let file = try scratch.file("claims.csv", rows.utf8)
        let selection = Selection(columns: [.name("name"), .name("owner")])
        func run(isDryRun: Bool) async throws -> (text: String, summary: Summary) {
            let job = ClaimJob(registry: registry, cause: Registry.testCause, format: .json, isDryRun: isDryRun)
            return try await report {
                try await job.run(path: file, selection: selection, report: $0) { _ in }
            }
        }
        let before = try await names(registry)
        let dry = try await run(isDryRun: true)
        #expect(try await names(registry) == before)
        let first = try await run(isDryRun: false)
        #expect(dry.text == first.text)
        #expect(dry.summary.counts == first.summary.counts)
        for verdict in [RowVerdict.done, .already, .invalid, .unavailable, .duplicate, .unreadable] {
            #expect(first.summary.counts[verdict] > 0, "\(verdict)")
        }
        #expect(first.summary.counts.rows == 2000)
        let again = try await run(isDryRun: false)
        let (made, already) = (#""result":"claimed""#, #""result":"already""#)
        // A refusal can have more reasons by now, because its owner got another name later.
        func withoutReasons(_ text: String) -> String { text.replacing(#/"reasons":\[[^\]]*\]/#, with: "") }
        #expect(withoutReasons(again.text) == withoutReasons(first.text.replacing(made, with: already)))
        #expect(try await run(isDryRun: true).text == again.text)
        #expect(try await discrepancies(registry).isEmpty)
    }

    /// Long rows make several chunks of the file.
    @Test(arguments: Policy.Lookalikes.allCases, [UInt64(2), 3])
    func dryRunOfReservationsReportsWhatTheRunReports(_ lookalikes: Policy.Lookalikes, _ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let registry = try await registry(lookalikes, &random).registry
        let note = String(repeating: "x", count: 2000)
        var rows = "handle,owner,until,note\n"
        for row in 0..<1000 {
            let (name, owner) = (Self.name(&random), ["", "owner-1", "owner-2"][Int.random(in: 0..<3, using: &random)])
            rows += row % 97 == 0 ? "alone\n" : "\(name),\(owner),\(row % 50 == 0 ? "2999-01-01" : ""),\(note)\n"
        }
        let file = try scratch.file("names.csv", rows.utf8)
        func run(isDryRun: Bool) async throws -> (text: String, summary: Summary) {
            let job = ReserveJob(
                registry: registry, defaults: ReserveDefaults(reason: "ours", owner: nil, until: nil),
                allowingLookalikes: seed == 3, actor: "test", format: .json, isDryRun: isDryRun, undo: nil)
            return try await report {
                try await job.run(ReserveJob.reader(path: file, Selection()), report: $0) { _ in }
            }
        }
        let before = try await names(registry)
        let dry = try await run(isDryRun: true)
        #expect(try await names(registry) == before)
        let first = try await run(isDryRun: false)
        #expect(dry.text == first.text)
        for verdict in [RowVerdict.done, .already, .invalid, .unavailable, .duplicate, .unreadable] {
            #expect(first.summary.counts[verdict] > 0, "\(verdict)")
        }
        #expect(first.text.contains(#""original":""#) && first.text.contains(#""lookalikes":[""#))
        #expect(try await discrepancies(registry).isEmpty)
    }

    /// The whole registry, without the time of the export.
    private func names(_ registry: Registry) async throws -> [String] {
        try await Array(lines(registry, withHistory: true).dropFirst())
    }
}
