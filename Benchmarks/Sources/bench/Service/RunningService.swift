import Foundation

/// The real program in a process of its own, on a free port.
final class RunningService {
    /// The admin key of the service.
    static let key = "bench-key-0123456789"

    let port: Int
    private let process = Process()

    /// - Parameter program: the path of `handles`.
    init(_ program: String, database: String, settings: [String: String] = [:]) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["serve", "--port", "0"]
        process.environment = ProcessInfo.processInfo.environment
            .merging([
                "DATABASE_URL": database, "HANDLES_ADMIN_KEY": Self.key, "HANDLES_ANONYMOUS_LIMIT": "none",
            ]) { $1 }.merging(settings) { $1 }
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        var said = ""
        var port: Int?
        while port == nil {
            let data = pipe.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Program.Failure(description: "the service did not start: \(said)") }
            said += String(decoding: data, as: UTF8.self)
            port = said.split(separator: "\n").first { $0.contains("is listening on http") }
                .flatMap { $0.split(separator: ":").last.flatMap { Int($0) } }
        }
        self.port = port ?? 0
        // Later output is not needed, but must be read.
        DispatchQueue.global().async { while !pipe.fileHandleForReading.availableData.isEmpty {} }
    }

    /// Resident memory in MiB: now, and its maximum so far.
    var memory: (now: Int, most: Int) {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        func field(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first).flatMap { Int($0) } ?? 0
        }
        return (field("VmRSS:") / 1024, field("VmHWM:") / 1024)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
