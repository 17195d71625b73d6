import Foundation
import TestSupport
import Testing

/// Tests of `Process.ended()`, with which other tests wait for the end of a program.
@Suite struct EndedTests {
    /// Foundation waits until no process has the program's open files any more, child processes included.
    @Test func endOfAProgramIsSeenWhileItsChildStillRuns() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The program prints the child's process id, so that the test can kill the child.
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
