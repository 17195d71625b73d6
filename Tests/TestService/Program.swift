package import Foundation

/// The real program, as it was built with the tests.
package enum Program {
    package static let path: String = {
        // The test bundle lies beside the program.
        let bundle = ProcessInfo.processInfo.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("handles").path
    }()

    /// The program as a process that is not started yet, for tests that signal it or read along.
    package static func process(
        _ arguments: [String], in folder: String, _ variables: [String: String] = [:]
    ) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = inherited.merging(variables) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        return process
    }

    /// What the program gets of our own environment: where programs are, and how ThreadSanitizer is to behave; and
    /// patience with a machine that is busy with other tests.
    package static var inherited: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["PATH", "TSAN_OPTIONS"].contains($0.key) }
            .merging(["HANDLES_DATABASE_TIME": "60s"]) { $1 }
    }
}
