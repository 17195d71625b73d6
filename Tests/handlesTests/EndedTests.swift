import Foundation
import TestSupport
import Testing

/// The tests' own eye on programs.
@Suite struct EndedTests {
    /// Foundation waits for all who have what the program had open.
    @Test func seesTheEndOfAProgramWhoseChildLives() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // It says who the child is, so that it need not live on.
        process.arguments = ["-c", "sleep 600 < /dev/null > /dev/null 2>&1 & echo $!; exit 3"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(await process.ended() == 3)
        let child = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let number = try #require(pid_t(child.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(number, SIGKILL) == 0)
    }
}
