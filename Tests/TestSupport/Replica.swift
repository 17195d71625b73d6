import EmbeddedPostgres
import Foundation

/// A PostgreSQL of its own with a replica that streams from it. It is made anew: copies of one cluster would be taken for
/// replicas of each other.
package enum ReplicatedPostgres {
    struct Failure: Error {}

    private static let settings = ["fsync=off", "synchronous_commit=off", "max_connections=40"]

    /// Runs `body` with the connection strings of a primary and of its replica.
    package static func use(
        _ body: @escaping @Sendable (_ primary: String, _ replica: String) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder.make("replicated")
        try await EmbeddedPostgres(folder: "\(folder)/primary", settings: settings).use(as: .command) { primary in
            let copy = "\(folder)/replica"
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            // The server's user makes its data folder there.
            if getuid() == 0 { chmod(copy, 0o777) }
            try await copyPrimary(primary, to: "\(copy)/postgres")
            try await EmbeddedPostgres(folder: copy, settings: settings).use(as: .command) { replica in
                try await body(primary, replica)
            }
        }
    }

    private static func copyPrimary(_ conninfo: String, to folder: String) async throws {
        let asServerUser = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            (getuid() == 0 ? asServerUser : [])
            + ["pg_basebackup", "-d", conninfo, "-D", folder, "-R", "-X", "stream", "-c", "fast"]
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        try process.run()
        guard await process.ended() == 0 else { throw Failure() }
        // The primary's socket lies in its folder, so the copy has the lock of that.
        try FileManager.default.removeItem(atPath: "\(folder)/.s.PGSQL.5432.lock")
    }
}
