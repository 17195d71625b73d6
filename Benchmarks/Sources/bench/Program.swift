import Foundation

/// The programs that are measured, and the programs that measure.
enum Program {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end.
    /// - Returns: its standard output.
    static func run(_ name: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(name) ended with status \(process.terminationStatus): \(output)")
        }
        return output
    }

    /// The process of the server in the folder of an `EmbeddedPostgres`.
    static func postmaster(in folder: String) throws -> Int {
        let file = folder + "/postgres/postmaster.pid"
        guard let process = Int(try String(contentsOfFile: file, encoding: .utf8).prefix { $0.isNumber }) else {
            throw Failure(description: "\(file) names no process")
        }
        return process
    }

    /// Runs a program to its end. Exit status 1 is accepted: some programs return it when names were refused.
    /// - Parameter folder: the working directory, also for the output.
    static func measure(
        _ path: String, _ arguments: [String], _ variables: [String: String] = [:], in folder: String
    ) throws -> (seconds: Double, mebibytes: Int) {
        var environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        environment["LC_ALL"] = "C"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        // Not to /dev/null: grep would notice, and stop at the first line.
        let output = folder + "/output"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        process.standardOutput = FileHandle(forWritingAtPath: output)
        let start = ContinuousClock.now
        try process.run()
        var most = 0
        // The peak memory is in the process's status while it runs.
        while process.isRunning {
            let status =
                (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            most = max(most, (line?.split(whereSeparator: \.isWhitespace).dropFirst().first).flatMap { Int($0) } ?? 0)
            usleep(1000)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard [0, 1].contains(process.terminationStatus) else {
            throw Failure(description: "\(path) ended with status \(process.terminationStatus)")
        }
        return (seconds, most / 1024)
    }
}

/// pgbench on a database, with prepared statements and two threads.
struct Pgbench {
    let conninfo: String
    let folder: String

    /// - Parameter transactions: their total number. pgbench's time limit can't be used, because the alarm that ends it
    ///   is blocked in child processes of this one.
    /// - Returns: transactions a second.
    func run(_ script: String, clients: Int, transactions: Int) throws -> Double {
        let file = "\(folder)/pgbench.sql"
        try script.write(toFile: file, atomically: true, encoding: .utf8)
        let fields = Dictionary(
            conninfo.split(separator: " ").map { field in
                let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "'")))
            }
        ) { first, _ in first }
        let output = try Program.run(
            "pgbench",
            [
                "-n", "-M", "prepared", "-f", file, "-c", "\(clients)", "-j", "2", "-t", "\(transactions / clients)",
                "-h", fields["host"] ?? "", "-U", fields["user"] ?? "", fields["dbname"] ?? "",
            ])
        let line = output.split(separator: "\n").first { $0.hasPrefix("tps = ") }
        return line.flatMap { Double($0.dropFirst(6).prefix { $0 != " " }) } ?? .nan
    }
}
