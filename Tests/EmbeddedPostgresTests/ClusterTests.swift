import Glibc
import TestSupport
import Testing

@testable import EmbeddedPostgres

/// The programs that a cluster runs.
struct ClusterTests {
    private let longInput = String(repeating: "SELECT 1;\n", count: 100_000)

    private func cluster() throws -> Cluster {
        // As the program does: a write to a process that has exited must fail, and not end this process.
        signal(SIGPIPE, SIG_IGN)
        return Cluster(folder: TemporaryFolder.make(), programs: try .find(version: nil), user: nil, settings: [])
    }

    @Test func programThatIgnoresItsInputSucceeds() async throws {
        try await cluster().run("/bin/true", [], input: longInput)
    }

    @Test func failureOfAProgramThatIgnoresItsInputIsReported() async throws {
        await #expect {
            try await cluster().run("/bin/sh", ["-c", "echo 'ERROR: no room' >&2; exit 3"], input: longInput)
        } throws: { error in
            "\(error)".contains("ERROR: no room")
        }
    }
}
