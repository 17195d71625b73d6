import EmbeddedPostgres
import Foundation
import Postgres

/// Lets tests log in to a private PostgreSQL as any role, which it does not allow otherwise.
enum OpenCluster {
    /// The user's own role keeps the rule that exists already.
    private static let rules = """
        local  all          all                trust
        local  replication  all                trust
        host   all          all  127.0.0.0/8   trust

        """

    /// Opens the cluster of a data folder. A running server reads the rules at its next start.
    static func open(_ folder: String) throws { try append(rules, to: "\(folder)/postgres/pg_hba.conf") }

    /// Opens a running cluster, and waits until it has read the rules.
    static func open(_ folder: String, at conninfo: String) async throws {
        try open(folder)
        guard let server = TemporaryFolder.postmaster("\(folder)/postgres/postmaster.pid") else {
            throw CocoaError(.fileNoSuchFile)
        }
        kill(server, SIGHUP)
        try await eventually("the server has read its rules") {
            do { try await execute("SELECT", on: conninfo.asSuperuser) } catch is PostgresError { return false }
            return true
        }
    }

    static func append(_ text: String, to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data("\n\(text)".utf8))
        try file.close()
    }
}

extension String {
    /// The same connection string for the superuser of the tests' PostgreSQL.
    package var asSuperuser: String { replacingOccurrences(of: "user=handles", with: "user=postgres") }
}
