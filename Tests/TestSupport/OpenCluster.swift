import EmbeddedPostgres
import Foundation
import Postgres

/// What tests need of a private PostgreSQL and nobody else gets: to log in as any role.
enum OpenCluster {
    /// The user's own role goes by the rule that is there already.
    private static let rules = """
        local  all          all                trust
        local  replication  all                trust
        host   all          all  127.0.0.0/8   trust

        """

    /// Opens a cluster that its data folder has; one that runs hears of it at its next start.
    static func open(_ folder: String) throws { try append(rules, to: "\(folder)/postgres/pg_hba.conf") }

    /// Opens a cluster that runs.
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
