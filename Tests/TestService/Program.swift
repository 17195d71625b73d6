package import Foundation

/// The `handles` program, as it was built with the tests.
package enum Program {
    package static let path: String = {
        // The test bundle is in the folder of the program.
        let bundle = ProcessInfo.processInfo.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("handles").path
    }()

    /// A process of the program that is not started yet, for tests that send it signals or read its output as it comes.
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

    /// The environment of the program: `PATH` and the options of ThreadSanitizer from this process, and a database
    /// timeout for a machine that is busy with other tests.
    package static var inherited: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["PATH", "TSAN_OPTIONS"].contains($0.key) }
            .merging(["HANDLES_DATABASE_TIME": "60s"]) { $1 }
    }
}
