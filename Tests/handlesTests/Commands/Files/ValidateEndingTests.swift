import Foundation
import HandleRegistry
import HandleRules
import TestService
import TestSupport
import Testing

/// The exit status and messages of `handles validate` after a fault or an interrupt.
@Suite struct ValidateEndingTests {
    private let folder = TestFolder("validate-ending")
    private static let header = ValidateTests.header

    private func validate(
        _ arguments: String..., input: String = "", with variables: [String: String] = [:]
    ) async throws -> Program.Result {
        try await Program.run(["validate"] + arguments, in: folder.path, variables, input: input)
    }

    @Test(arguments: [
        ["--jobs", "0"], ["--jobs", "1025"], ["--jobs", "x"], ["--memory", "15"], ["--memory", "2000000"],
        ["--separator", "ab"], ["--separator", ""], ["--separator", "\""], ["--separator", "é"], ["--format", "xml"],
        ["--nonsense"], ["one", "two"], ["--column"], ["--separator", "\n"],
    ])
    func validateRefusesInvalidOptions(_ arguments: [String]) async throws {
        let result = try await Program.run(["validate"] + arguments, in: folder.path)
        #expect(result.status == 64, "\(result.words)")
        #expect(result.words.hasPrefix("Error: ") && result.output.isEmpty)
    }

    @Test(arguments: [
        (["--column", "nick"], "id,name\n1,x\n", "has no column nick, only id, name"),
        ([], "dn: uid=jane\nuid: jane\n", "LDIF"), ([], "PK\u{3}\u{4}...", "ZIP"),
        ([], "id\u{1B}]0;x\u{7},ma\u{202E}il\n1,x\n", "has the columns id\\u{1b}]0;x, ma\\u{202e}il:"),
    ])
    func unusableInputExitsWith65AndTheReason(_ arguments: [String], _ input: String, _ words: String) async throws {
        let result = try await Program.run(["validate"] + arguments, in: folder.path, input: input)
        #expect(result.status == 65, "\(result.words)")
        #expect(
            result.words.hasPrefix("handles: the standard input ") && result.words.contains(words), "\(result.words)")
    }

    @Test func missingTemporaryFolderExitsWith73() async throws {
        let result = try await validate("--repair", input: "x\n", with: ["TMPDIR": "/nonexistent"])
        #expect(result.status == 73)
        #expect(
            result.words
                == "handles: can't make a temporary file: No such file or directory; set TMPDIR to a folder with room for "
                + "the input\n")
    }

    /// The rows that can be read are reported first.
    @Test func truncatedGzipFileExitsWith65AfterItsReadableRows() async throws {
        let names = try folder.file("names.txt", (0..<50_000).map { "x\($0 &* 7919 % 65_537)" }.joined(separator: "\n"))
        try await folder.shell("gzip -c '\(names)' | head -c 60000 > '\(folder.path)/cut.gz'")
        let result = try await validate("cut.gz", "--format", "lines")
        #expect(result.status == 65)
        #expect(result.words.contains("The rest could not be read: these are the results so far.\n"))
        #expect(
            result.words.hasSuffix(
                "\nhandles: cut.gz is cut: its compressed data end in the middle; get the whole file again\n"))
        #expect(result.output.hasPrefix(Self.header) && result.output.hasSuffix("\n"))
    }

    @Test(arguments: ["/nonexistent/file", "/", ""]) func unreadableFileExitsWith66(_ path: String) async throws {
        let result = try await validate(path)
        #expect(result.status == 66)
        #expect(result.words.hasPrefix("handles: can't read \(path)"))
    }

    @Test(arguments: ["/nonexistent/x.csv", "/dev/full", "/nonexistent/report/", "/proc/report/"])
    func unwritableReportExitsWith73(_ output: String) async throws {
        let result = try await validate(try folder.file("names.txt", "alice\nx\n"), "--output", output)
        #expect(result.status == 73)
        #expect(result.words.hasPrefix("handles: can't ") && result.words.contains(output))
        #expect(result.words.split(separator: "\n").count == 1)
    }

    @Test func fullOutputDeviceExitsWith73() async throws {
        try await folder.shell(
            "echo x | '\(Program.path)' validate > /dev/full 2> '\(folder.path)/words'; test $? = 73")
        #expect(try folder.contents("words") == "handles: can't write the output: No space left on device\n")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func signalEndsValidateWhileItWaitsForInput(_ signal: Int32) async throws {
        let process = Program.process(["validate", "-"], in: folder.path)
        process.standardInput = Pipe()
        let (output, words) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = words
        try process.run()
        try await eventually("the program minds the signal") {
            overridesSignal(signal, process.processIdentifier) || process.endStatus != nil
        }
        kill(process.processIdentifier, signal)
        let status = await process.ended()
        #expect(status == 130)
        let said = String(decoding: try words.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(said.hasSuffix("handles: interrupted\n"))
    }

    /// The rows done before the interrupt are written completely and counted.
    @Test(arguments: [SIGINT, SIGTERM])
    func interruptedValidateWritesCompleteRowsAndCountsThem(_ signal: Int32) async throws {
        let names = (0..<400_000).map { "x\($0 % 7)\n" }.joined()
        let (report, words) = try await Endless(in: folder.path, ["validate", "--jobs", "1"], names).end(
            signal, afterBytes: 10_000)
        let rows = report.split(separator: "\n").dropFirst()
        #expect(report.hasPrefix(Self.header) && report.hasSuffix("\n"))
        let areWhole = rows.allSatisfy { $0.count { $0 == "," } == 8 }
        #expect(areWhole)
        let said = words.replacing(",", with: "")
        #expect(said.hasPrefix("\(rows.count) rows: 0 valid \(rows.count) refused ("))
        #expect(said.hasSuffix("\nInterrupted: these are the results so far.\nhandles: interrupted\n"))
    }

    /// Whether a process ignores or catches a signal, so that the signal no longer ends it at once.
    private func overridesSignal(_ signal: Int32, _ process: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        return status.split(separator: "\n").contains { line in
            guard line.hasPrefix("SigIgn:") || line.hasPrefix("SigCgt:") else { return false }
            let mask = UInt64(line.dropFirst("SigIgn:".count).trimmingCharacters(in: .whitespaces), radix: 16) ?? 0
            return mask & (1 << UInt64(signal - 1)) != 0
        }
    }
}
