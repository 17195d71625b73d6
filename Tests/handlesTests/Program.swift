import Foundation
import Subprocess
import TestSupport

/// The real program, as it was built with the tests.
enum Program {
    static let path: String = {
        // The test bundle lies beside the program.
        let bundle = ProcessInfo.processInfo.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("handles").path
    }()

    struct Result: Sendable {
        let status: Int
        let output: String
        let words: String
    }

    /// Runs the program to its end in `folder`, with nothing of ours in its environment but `variables`.
    static func run(
        _ arguments: [String], in folder: String, _ variables: [String: String] = [:], input: String = ""
    ) async throws -> Result {
        let result = try await Subprocess.run(
            .path(.init(path)), arguments: .init(arguments), environment: environment(variables),
            workingDirectory: .init(folder), input: .string(input), output: .string(limit: 1 << 22),
            error: .string(limit: 1 << 22))
        guard case .exited(let status) = result.terminationStatus else {
            return Result(status: -1, output: "", words: "\(result.terminationStatus)")
        }
        return Result(
            status: Int(status), output: result.standardOutput, words: result.standardError)
    }

    static func environment(_ variables: [String: String]) -> Subprocess.Environment {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        var all: [Subprocess.Environment.Key: String] = ["PATH": path]
        for (name, value) in variables { all[.init(stringLiteral: name)] = value }
        return .custom(all)
    }
}
