import Foundation
import TestSupport

/// Runs of `SessionProbe`, a program that uses `Sessions` as an app does.
enum Probe {
    struct Ended {
        /// 0, the exit code, or the number of the signal that ended it.
        let status: Int32
        let lines: [String]
        let errors: String
    }

    static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("SessionProbe").path

    /// A process of the program that is not started yet.
    /// - Parameters:
    ///   - home: the home folder of the program; nil for that of the tests' user.
    ///   - isDiskFull: whether each write to a file fails.
    static func process(_ arguments: [String], home: String? = nil, isDiskFull: Bool = false) -> Process {
        let process = Process()
        if isDiskFull {
            // A limit of 0 bytes a file; without the signal the write fails as on a full disk.
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", path] + arguments
        } else {
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
        }
        if let home {
            var environment = ProcessInfo.processInfo.environment
            environment["HOME"] = home
            environment["XDG_DATA_HOME"] = nil
            environment["XDG_CONFIG_HOME"] = nil
            process.environment = environment
        }
        return process
    }

    static func run(_ arguments: [String], home: String? = nil, isDiskFull: Bool = false) async throws -> Ended {
        let process = process(arguments, home: home, isDiskFull: isDiskFull)
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        async let lines = text(of: output).split(separator: "\n").map(String.init)
        async let problems = text(of: errors)
        return Ended(status: await process.ended(), lines: await lines, errors: await problems)
    }

    /// All output written into a pipe. Read on a separate thread, because reading blocks.
    private static func text(of pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }

    /// Runs the program until it has written `count` lines, and kills it.
    static func killed(_ arguments: [String], afterLines count: Int) async throws {
        let process = process(arguments)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let isThere = await withCheckedContinuation { continuation in
            // On a separate thread, because reading blocks.
            Thread.detachNewThread {
                var lines = 0
                while lines < count {
                    let part = output.fileHandleForReading.availableData
                    guard !part.isEmpty else { return continuation.resume(returning: false) }
                    lines += part.count { $0 == UInt8(ascii: "\n") }
                }
                continuation.resume(returning: true)
            }
        }
        kill(process.processIdentifier, SIGKILL)
        async let rest = text(of: output)
        await process.ended()
        _ = await rest
        guard isThere else { throw EndedByItself() }
    }

    struct EndedByItself: Error {}
}
