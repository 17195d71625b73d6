import Foundation
import TestService
import TestSupport
import Testing

/// A run of a command with input that never ends.
struct Endless {
    private let process: Process
    private let feeder = Process()
    /// Kept open, so that the program never reads the end of its input.
    private let input = Pipe()
    private let folder: String

    init(in folder: String, _ arguments: [String], with variables: [String: String] = [:], _ names: String) throws {
        self.folder = folder
        try names.write(toFile: "\(folder)/input", atomically: true, encoding: .utf8)
        for file in ["output", "words"] { try "".write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8) }
        process = Program.process(arguments, in: folder, variables)
        process.standardInput = input
        process.standardOutput = FileHandle(forWritingAtPath: "\(folder)/output")
        process.standardError = FileHandle(forWritingAtPath: "\(folder)/words")
        try process.run()
        feeder.executableURL = URL(fileURLWithPath: "/bin/cat")
        feeder.arguments = ["\(folder)/input"]
        feeder.standardOutput = input.fileHandleForWriting
        try feeder.run()
    }

    /// Sends a signal once `count` bytes of a report are written; returns the report and standard error.
    /// - Parameter report: a file in the folder; `output` is standard output.
    func end(
        _ signal: Int32, afterBytes count: Int, of report: String = "output"
    ) async throws -> (output: String, words: String) {
        func contents(_ file: String) throws -> String {
            try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        }
        try await eventually("so much is written") { [process] in
            try contents(report).utf8.count >= count || process.endStatus != nil
        }
        kill(process.processIdentifier, signal)
        let status = await process.ended()
        feeder.terminate()
        await feeder.ended()
        #expect(status == 130)
        return (try contents(report), try contents("words"))
    }
}
