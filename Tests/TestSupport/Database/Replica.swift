import EmbeddedPostgres
import Foundation

/// A PostgreSQL with a streaming replica. Each use makes a new cluster: copies of one cluster have the same system
/// identifier, so they would pass for replicas of each other.
package enum ReplicatedPostgres {
    struct Failure: Error {}

    private static let settings = ["fsync=off", "synchronous_commit=off", "max_connections=40"]

    /// Runs `body` with the connection strings of a primary and of its replica.
    package static func use(
        _ body: @escaping @Sendable (_ primary: String, _ replica: String) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder.make("replicated")
        try await EmbeddedPostgres(folder: "\(folder)/primary", settings: settings).use(as: .command) { primary in
            try await OpenCluster.open("\(folder)/primary", at: primary)
            let copy = "\(folder)/replica"
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            // The replica connects to the socket in this folder, under root as Debian's user `postgres`.
            chmod("\(folder)/primary", 0o711)
            try await copyPrimary(primary.asSuperuser, to: "\(copy)/postgres")
            try await EmbeddedPostgres(folder: copy, settings: settings).use(as: .command) { replica in
                try await body(primary, replica)
            }
        }
    }

    private static func copyPrimary(_ conninfo: String, to folder: String) async throws {
        try await run(["pg_basebackup", "-d", conninfo, "-D", folder, "-R", "-X", "stream", "-c", "fast"])
        // The primary's socket lies in its data folder, so the copy contains the lock file of the socket.
        try FileManager.default.removeItem(atPath: "\(folder)/.s.PGSQL.5432.lock")
        if getuid() == 0 { try await run(["chown", "-R", "postgres:postgres", folder]) }
    }

    private static func run(_ command: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        try process.run()
        guard await process.ended() == 0 else { throw Failure() }
    }
}
