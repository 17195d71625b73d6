import Foundation
import Subprocess
import SystemPackage
import TestService
import TestSupport

/// Runs the real program to its end.
extension Program {
    struct Result: Sendable {
        let status: Int
        let output: String
        let words: String
    }

    /// Runs the program, or another one, to its end in `folder`. Its environment has only the variables that every
    /// program of the tests inherits, and `variables`.
    static func run(
        program: String = path, _ arguments: [String], in folder: String, _ variables: [String: String] = [:],
        input: String = ""
    ) async throws -> Result {
        // A program that does not read its input must not end the tests with SIGPIPE.
        signal(SIGPIPE, SIG_IGN)
        let all = inherited.merging(variables) { $1 }.map { (Environment.Key(stringLiteral: $0), $1) }
        let result = try await Subprocess.run(
            .path(.init(program)), arguments: .init(arguments), environment: .custom(Dictionary(all) { $1 }),
            workingDirectory: .init(folder), input: .inputWriter, output: .string(limit: 1 << 25),
            error: .string(limit: 1 << 22)
        ) { execution in
            // The program may exit before it has read its input. Subprocess would end the tests if an input of its own
            // kinds (`.string`) could not be written.
            _ = try? await execution.standardInputWriter.write(Array(input.utf8))
        }
        guard case .exited(let status) = result.terminationStatus else {
            return Result(status: -1, output: "", words: "\(result.terminationStatus)")
        }
        return Result(status: Int(status), output: result.standardOutput, words: result.standardError)
    }

    /// Runs the program to its end and cuts its database connections once a condition holds.
    static func run(
        _ arguments: [String], in folder: TestFolder, on database: String,
        until holds: (ChaosProxy) async throws -> Bool
    ) async throws -> Result {
        let proxy = try ChaosProxy(to: database)
        let process = process(arguments, in: folder.path, ["DATABASE_URL": proxy.conninfo(database)])
        process.standardOutput = FileHandle(forWritingAtPath: try folder.file("lost.output", ""))
        process.standardError = FileHandle(forWritingAtPath: try folder.file("lost.words", ""))
        try process.run()
        defer { process.terminate() }
        try await eventually("the connections are cut") { try await holds(proxy) || process.endStatus != nil }
        proxy.set(.cut)
        let status = Int(await process.ended())
        return Result(
            status: status, output: try folder.contents("lost.output"), words: try folder.contents("lost.words"))
    }

    /// Runs the program to its end and cuts its database connections once it has written `bytes` bytes of output.
    static func run(
        _ arguments: [String], in folder: TestFolder, on database: String, untilWritten bytes: Int
    ) async throws -> Result {
        let proxy = try ChaosProxy(to: database)
        let process = process(arguments, in: folder.path, ["DATABASE_URL": proxy.conninfo(database)])
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle(forWritingAtPath: try folder.file("lost.words", ""))
        try process.run()
        // Read on a separate thread, so that the connections are cut in time however busy the tests are.
        let output = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var read = Data()
                while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
                    read += more
                    if read.count > bytes { proxy.set(.cut) }
                }
                continuation.resume(returning: String(decoding: read, as: UTF8.self))
            }
        }
        return Result(status: Int(await process.ended()), output: output, words: try folder.contents("lost.words"))
    }
}
