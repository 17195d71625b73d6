import Foundation
import NameFiles
import TestService
import TestSupport
import Testing

@testable import handles

/// Messages at a terminal while a command works on a file.
@Suite struct ProgressTests {
    private let folder = TestFolder("progress")

    @Test(arguments: [
        (79, "█████░░░░░░░░░░░░░░░ 25 %  1,000,000 rows, 1,250 a second, 40 min left"),
        (60, "25 %  1,000,000 rows, 1,250 a second, 40 min left"), (40, "25 %  40 min left"), (10, "25 %"), (3, ""),
    ])
    func barLeavesOutWhatDoesNotFit(_ width: Int, _ line: String) {
        let progress = Progress(rows: 1_000_000, position: 10, size: 40)
        #expect(ProgressBar.line(progress, after: 800, width: width) == line)
    }

    @Test func barOfAPipeShowsTheRowsOnly() {
        let progress = Progress(rows: 1_000_000, position: 10)
        #expect(ProgressBar.line(progress, after: 800, width: 79) == "1,000,000 rows, 1,250 a second")
        #expect(ProgressBar.line(progress, after: 800, width: 20) == "1,000,000 rows")
    }

    @Test(arguments: [
        (50.0, "50 s"), (59.5, "1 min"), (61, "2 min"), (3600, "1 h 0 min"), (3900, "1 h 5 min"),
        (90_000, "25 h 0 min"),
    ])
    func timeLeftHasTheUnitsOfAClock(_ seconds: Double, _ text: String) {
        let half = Progress(rows: 1, position: 1, size: 2)
        #expect(ProgressBar.line(half, after: seconds, width: 79).hasSuffix(", \(text) left"))
    }

    /// Without a bar at all, as on a fast machine, the first part is right too.
    @Test func barFitsANarrowTerminalAndIsNotShownOnAPlainOne() async throws {
        let names = try folder.file("many.txt", (0..<60_000).map { "x\($0 % 7)" }.joined(separator: "\n"))
        let arguments = ["validate", names, "--output", "/dev/null"]
        let narrow = try await Terminal.run(arguments, in: folder.path, columns: 30)
        let bars = narrow.output.components(separatedBy: "\r\u{1B}[K").dropFirst().dropLast()
        #expect(narrow.status == 1 && bars.allSatisfy { $0.count < 30 && $0.contains(" %") }, "\(bars)")
        for kind in ["dumb", ""] {
            let plain = try await Terminal.run(arguments, in: folder.path, ["TERM": kind])
            #expect(plain.status == 1)
            #expect(!plain.output.contains { "\r\u{1B}█░".contains($0) }, "\(plain.output)")
        }
    }

    @Test func inputFromATerminalIsAskedForOnce() async throws {
        let shown = try await Terminal.run(
            ["validate"], in: folder.path, question: "Ctrl-D", answer: "johndoe\nx\n\u{4}")
        #expect(shown.status == 1)
        #expect(shown.output.hasPrefix("reading from the terminal; end with Ctrl-D\n"))
        #expect(shown.output.components(separatedBy: "Ctrl-D").count == 2)
        #expect(shown.output.contains("2,2,x,,,invalid,too_short:1,,\n"))
    }
}
