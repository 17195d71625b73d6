import Foundation

/// Programs that are measured or that measure.
enum Program {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end.
    /// - Returns: what it wrote to its standard output.
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
}

/// pgbench on a database, with prepared statements and two threads.
struct Pgbench {
    let conninfo: String
    let folder: String

    /// - Parameter transactions: how many in all; not for a time, as the alarm that would end it is blocked in our
    ///   children.
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
