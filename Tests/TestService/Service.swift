import EmbeddedPostgres
import Foundation
package import TestSupport

/// A process of the `handles` program that serves, with a private PostgreSQL in a folder.
package final class Service: @unchecked Sendable {  // used by one test, and Process is safe to signal
    private let process = Process()
    /// The path of the file with the program's standard error.
    package let words: String
    /// The program's standard error until it listened.
    package let welcome: String
    /// With the first key, if it is known.
    package let client: HTTPClient

    /// Starts the program and returns when it listens; throws ``Ended`` with its output if it exits instead.
    /// - Parameters:
    ///   - isNew: whether the program creates its private PostgreSQL; otherwise it finds a prepared one.
    ///   - openFiles: the limit on its open files and sockets; nil for that of this process.
    package init(
        in folder: String, _ variables: [String: String] = [:], isNew: Bool = false, openFiles: Int? = nil
    ) async throws {
        let data = "\(folder)/.handles"
        if !isNew, variables["DATABASE_URL"] == nil, EmbeddedPostgres.isMissing(in: data) {
            try await PreparedCluster.copy(to: data)
        }
        words = "\(folder)/words-\(UInt32.random(in: 0 ... .max))"
        try "".write(toFile: words, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let limit = openFiles.map { "ulimit -n \($0) && " } ?? ""
        process.arguments = ["-c", limit + "exec \"$0\" serve --port 0", Program.path]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = Program.inherited.merging(["HANDLES_DRAIN": "0s"].merging(variables) { $1 }) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: words)
        try process.run()
        var said = ""
        var status: Int32?
        try await eventually("the service listens, or exits") { [process, words] in
            status = process.endStatus
            said = try String(contentsOfFile: words, encoding: .utf8)
            return said.contains("curl") || said.contains("\"port\":") || status != nil
        }
        welcome = said
        let lines = said.split(separator: "\n")
        guard let port = said.firstMatch(of: #/handles is listening on \S*:(\d+)/#).flatMap({ Int($0.output.1) }) else {
            throw Ended(words: said, status: status)
        }
        let made = lines.first { $0.hasPrefix("key for writing: hdl_") }?.dropFirst("key for writing: ".count)
        client = HTTPClient(port: port, key: variables["HANDLES_ADMIN_KEY"] ?? made.map(String.init))
    }

    package var isRunning: Bool { process.endStatus == nil }

    /// The number of files and sockets that it has open.
    package var openFiles: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count) ?? 0
    }

    package struct Ended: Error {
        package let words: String
        /// The exit status, or the number of the signal that ended it; nil when it runs and said no address.
        package let status: Int32?
    }

    package func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Sends a signal and waits for the program to exit.
    /// - Returns: the exit status, or the number of the signal that ended it.
    @discardableResult
    package func end(_ number: Int32) async -> Int32 {
        signal(number)
        return await process.ended()
    }
}
