import EmbeddedPostgres
import Foundation
import HandleRegistry
import Postgres

/// A private PostgreSQL with the schema, made once for all tests of the process. Tests use copies: initdb and the
/// migration take ten times as long as a copy.
package enum PreparedCluster {
    private static let made = Task {
        let folder = TemporaryFolder.forProcess("prepared")
        // Settings in its own file apply to all copies. No data of a test have to survive a power cut.
        let settings = ["fsync = off", "full_page_writes = off", "autovacuum = off"]
        try await EmbeddedPostgres(folder: folder).use(as: .command) { conninfo in
            let pool = patientPool(conninfo)
            try await Registry(pool: pool).migrate()
            await pool.close()
            try OpenCluster.append(
                settings.map { "\($0)\n" }.joined(), to: "\(folder)/postgres/postgresql.conf")
            try OpenCluster.open(folder)
        }
        return folder
    }

    /// Copies the cluster into a data folder that has none.
    package static func copy(to folder: String) async throws {
        let source = try await made.value
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = ["-a", "--", "\(source)/postgres", "\(folder)/postgres"]
        try process.run()
        guard await process.ended() == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
