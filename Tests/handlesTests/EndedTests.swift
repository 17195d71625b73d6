import Foundation
import TestSupport
import Testing

/// Tests of `Process.endStatus` and `Process.ended()`, with which other tests notice the end of a program.
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

    /// Foundation reaps the program on a thread of its own, which may be while the status is read.
    @Test func endStatusStaysAfterTheEnd() async throws {
        for _ in 0..<40 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "exit 3"]
            try process.run()
            #expect(await process.ended() == 3)
            var statuses: Set<Int32?> = []
            for _ in 0..<10_000 {
                statuses.insert(process.endStatus)
                if !process.isRunning { break }
            }
            #expect(statuses == [3])
        }
    }
}
