import Foundation
import TestSupport

/// A running service: the real program with a private PostgreSQL in a folder.
final class Service: @unchecked Sendable {  // used by one test, and Process is safe to signal
    private let process = Process()
    /// The file that gets what the program says.
    let words: String
    /// What it has said at the start.
    let welcome: String
    let client: HTTPClient

    /// Starts the program and returns when it listens, or throws what it said when it ended instead.
    /// - Parameter openFiles: how many files and sockets the system lets it open.
    init(in folder: String, _ variables: [String: String] = [:], openFiles: Int? = nil) async throws {
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
        while true {
            let said = (try? String(contentsOfFile: words, encoding: .utf8)) ?? ""
            if said.contains("curl"),
                let line = said.split(separator: "\n").first(where: { $0.hasPrefix("handles is listening on") }),
                let port = line.split(separator: ":").last.flatMap({ Int($0) })
            {
                welcome = said
                let key = said.split(separator: "\n").first { $0.hasPrefix("key for writing: hdl_") }
                client = HTTPClient(port: port, key: key.map { String($0.dropFirst("key for writing: ".count)) })
                Self.spareTheDisk(of: "\(folder)/.handles/postgres")
                return
            }
            if !process.isRunning {
                let last = (try? String(contentsOfFile: words, encoding: .utf8)) ?? said
                throw Ended(words: last, status: process.terminationStatus)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Nothing here must survive a power cut, and a private PostgreSQL waits for the disk with every claim.
    private static func spareTheDisk(of cluster: String) {
        guard let postmaster = TemporaryFolder.postmaster("\(cluster)/postmaster.pid"),
            let settings = FileHandle(forWritingAtPath: "\(cluster)/postgresql.conf")
        else { return }
        settings.seekToEndOfFile()
        settings.write(Data("\nfsync = off\n".utf8))
        kill(postmaster, SIGHUP)
    }

    var isRunning: Bool { process.isRunning }

    /// How many files and sockets it has open.
    var openFiles: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count) ?? 0
    }

    struct Ended: Error {
        let words: String
        let status: Int32
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Sends a signal and waits for the end.
    @discardableResult
    func end(_ number: Int32) async -> Int32 {
        signal(number)
        return await process.ended()
    }
}
