import Foundation
import TestSupport
import Testing

/// All SQL must run unchanged on a distributed PostgreSQL. The constructs listed here do not, or only on one node.
@Suite struct PortableSQLTests {
    /// Constructs that no SQL may contain, and the reasons.
    private static let forbidden: [(pattern: String, why: String)] = [
        (#"\bTRIGGER\b"#, "no triggers on distributed tables"),
        (#"\b(SEQUENCE|SERIAL|BIGSERIAL|nextval|GENERATED|IDENTITY)\b"#, "ids are made by the service"),
        (#"\bCREATE\s+EXTENSION\b"#, "no extensions"),
        (#"\b(LISTEN|NOTIFY|pg_notify)\b"#, "not forwarded between nodes"),
        (#"\bpg_(try_)?advisory"#, "advisory locks are local to one node"),
        (#"\bAS\s+ENUM\b"#, "types are hard to change on many nodes"),
        (#"\bUNIQUE\s+INDEX\b"#, "only primary keys decide"),
        (#"ON\s+CONFLICT\s*\([^)]*\)\s*WHERE"#, "no partial index decides"),
        (#"ON\s+CONFLICT\s+DO\b"#, "say which key decides"),
        (#"(SELECT|RETURNING)\s+(\w+\.)?\*"#, "columns are listed"),
        (#"RETURNING[^;"]*\bnow\(\)"#, "Citus refuses now() there"),
        (#"DO\s+UPDATE[^;"]*\bnow\(\)"#, "the time is passed in through VALUES"),
    ]

    /// Constructs that a table definition may contain, but not a statement.
    private static let forbiddenInStatements: [(pattern: String, why: String)] = [
        (#"\bCASE\s+(?!WHEN)\S+\s+WHEN"#, "Citus 13 forwards a simple CASE wrongly")
    ]

    @Test func everyStatementUsesPortableSQLOnly() throws {
        // The folders, and a number of statements that each has at least.
        for (folder, least) in ["sql": 3, "Sources/HandleRegistry": 90] {
            var statements = 0
            let url = Repository.root.appendingPathComponent(folder)
            for case let file as URL in FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
                ?? .init()
            where ["sql", "swift"].contains(file.pathExtension) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for sql in file.pathExtension == "sql" ? [text] : Self.statements(in: text) {
                    statements += 1
                    let sql = sql.replacing(try Regex("--[^\n]*"), with: "")
                    let forbidden =
                        file.pathExtension == "sql" ? Self.forbidden : Self.forbidden + Self.forbiddenInStatements
                    for (pattern, why) in forbidden {
                        let match = try sql.firstMatch(of: Regex(pattern).ignoresCase()).map { String(sql[$0.range]) }
                        #expect(match == nil, "\(file.lastPathComponent): \(why)")
                    }
                }
            }
            #expect(statements >= least, "\(folder)")
        }
    }

    @Test(arguments: [
        "CREATE TRIGGER t", "SELECT * FROM names", "SELECT pg_advisory_lock(1)", "INSERT … RETURNING handle, now()",
        "ON CONFLICT (handle) WHERE x DO NOTHING", "ON CONFLICT (handle) DO UPDATE SET a = now()", "id bigserial",
        "LISTEN handles", "CREATE TYPE state AS ENUM ('a')", "SET a = CASE h.state WHEN 'x' THEN 1 END",
    ])
    func unportableSQLIsDetected(_ sql: String) throws {
        let isNoticed = try (Self.forbidden + Self.forbiddenInStatements).contains {
            try sql.firstMatch(of: Regex($0.pattern).ignoresCase()) != nil
        }
        #expect(isNoticed)
    }

    /// The string literals of a source file that contain SQL.
    private static func statements(in source: String) -> [String] {
        source.components(separatedBy: "static let ").dropFirst().compactMap { part in
            guard
                part.hasPrefix("sql") || part.hasPrefix("hash") || part.hasPrefix("bookkeeping")
                    || part.hasPrefix("columns") || part.hasPrefix("isRepeat") || part.hasPrefix("sessionScript")
                    || part.hasPrefix("whatChanges") || part.hasPrefix("hasEnded")
            else { return nil }
            let pieces = part.components(separatedBy: "\"\"\"")
            return pieces.count > 2 ? pieces[1] : part.components(separatedBy: "\n").first
        }
    }
}
