import Foundation
import TestService
import TestSupport
import Testing

@testable import handles

/// The reports on files, on which programs rely. A change that appends a column, member or result changes a snapshot;
/// no change may rename, move or remove one.
@Suite struct ReportSnapshotTests {
    private let folder = TestFolder("snapshots")

    /// Rows of every result.
    private static let names = """
        id,username,mail,until
        u1,JaneRoe,a@example.org,2999-12-31
        u2,janeroe,"b;=c",
        u3,jan3roe,,
        u4,adm1n,,
        u5,"J!m",,
        u6
        u7,taken_one,,
        u8,kept_one,,
        ,no_owner,,2001-01-01
        u1,other_jane,,

        u9,12345,,
        u0,had_it,,

        """

    @Test(arguments: ["validate", "claim", "reserve", "release", "assign"], ["csv", "json"])
    func reportIsAsPromised(_ command: String, _ format: String) async throws {
        let run = try await Commands(in: folder.path)
        _ = try await run("claim", "taken_one", "--for", "org-1")
        _ = try await run("claim", "had_it", "--for", "u0")
        _ = try await run("reserve", "kept_one", "--reason", "ours", "--for", "org-1")
        let names = try folder.file("names.csv", Self.names)
        let options =
            switch command {
            case "validate": ["--registry", names]
            case "claim": ["--owner-column", "id", "--file", names]
            case "release": ["--yes", "--file", names]
            case "assign": ["--owner-column", "id", "--reason", "ours", "--yes", "--file", names]
            default: ["--owner-column", "id", "--reason", "ours", "--file", names]
            }
        let result = try await run([command] + options + ["--carry", "mail"] + (format == "json" ? ["--json"] : []))
        #expect(result.status == 1)
        let snapshot = "Tests/handlesTests/Samples/reports/\(command).\(format == "json" ? "ndjson" : "csv")"
        let expected = try Repository.text(snapshot).split(separator: "\n")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == expected.count)
        for (line, expected) in zip(lines, expected) { #expect(line == expected) }
    }
}
