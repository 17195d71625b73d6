import EmbeddedPostgres
import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import Postgres

/// Batch validation of a file by the real program, compared with `grep` counting the lines that have the form of a
/// handle.
///
/// Both read the same file, one after the other in each round; the ratio is that of their times. Refused rows are
/// written to a file.
struct BatchBench {
    private let program: String
    private let folder: String
    private let rounds: Int

    /// - Parameter names: the number of names in the file; the registry has a fifth as many.
    static func run(program: String, names: Int, rounds: Int) async throws -> [Figure] {
        let folder = "/tmp/handles-batch-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bench = BatchBench(program: program, folder: folder, rounds: rounds)
        var source = NameSource(seed: 2)
        let taken = source.next(names / 5)
        try bench.write(names, taken)
        var figures = try bench.compare(names)
        figures.append(try bench.start())
        figures += try await EmbeddedPostgres(folder: folder + "/data").use(as: .command) { conninfo in
            try await Registry.migrate(conninfo)
            let connection = try await Connection.open(conninfo, until: .now + .seconds(120))
            try await Filling(connection: connection).fill(taken)
            await connection.close()
            return [try bench.lookUp(names, taken.count, conninfo)]
        }
        return figures
    }

    private var file: String { folder + "/names.txt" }

    /// Nine names of ten are typical names of people, half of these with numbers. The others break a rule, disguise a
    /// reserved word, or repeat an earlier name. One in ten is taken.
    private func write(_ names: Int, _ taken: [DisplayHandle]) throws {
        var random = SeededGenerator(seed: 3)
        var text = ""
        var earlier: [String] = []
        for number in 0..<names {
            let made = Self.name(&random)
            let name =
                switch number % 20 {
                case 0: "adm1n" + made.prefix(2)
                case 1: made + "." + made
                case 2: earlier.randomElement(using: &random)?.capitalized ?? made
                case 3: "_" + made
                case 4, 5: taken.randomElement(using: &random)?.description ?? made
                case 6...12: String((made + String(UInt16.random(in: 0...999, using: &random))).prefix(15))
                default: made
                }
            if number % 100 == 0 { earlier.append(made) }
            text += name + "\n"
        }
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }

    private static let syllables = [
        "ka", "ro", "mi", "ta", "jo", "an", "el", "ri", "sa", "be", "lu", "ne", "do", "fi", "gu", "ha", "is", "or",
        "ma",
        "vi", "st", "er", "in", "on", "al", "ad", "th", "ch", "pe", "zu", "br", "ol",
    ]

    private static func name(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 3...6, using: &random)).map { _ in
            syllables[Int.random(in: syllables.indices, using: &random)]
        }.joined()
    }

    private func compare(_ names: Int) throws -> [Figure] {
        var ratios: [Double] = []
        var memory = 0
        for round in 0...rounds {
            let grep = try Program.measure(
                "/usr/bin/env", ["grep", "-cE", "^[a-z0-9][a-z0-9_]{2,14}$", file], in: folder)
            let ours = try Program.measure(
                program, ["validate", file, "--quiet", "--output", folder + "/refused.csv"], in: folder)
            // The first round fills the caches.
            if round == 0 { continue }
            ratios.append(ours.seconds / grep.seconds)
            memory = max(memory, ours.mebibytes)
            print(
                "batch validation: \(Int(Double(names) / ours.seconds)) names/s, \(ours.seconds / grep.seconds) × grep, "
                    + "\(ours.mebibytes) MiB")
        }
        let work = "validation of \(names.grouped) names"
        return [Figure(work, ratios, of: "the time of `grep -cE`"), Figure("\(work), memory", "\(memory) MiB")]
    }

    /// The time for a file so small that the start of the program takes most of it.
    private func start() throws -> Figure {
        let few = folder + "/few.txt"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.split(separator: "\n").prefix(1000).joined(separator: "\n").write(
            toFile: few, atomically: true, encoding: .utf8)
        let times = try (0..<9).map { _ in
            try Program.measure(program, ["validate", few, "--quiet", "--output", folder + "/few.csv"], in: folder)
                .seconds
        }
        return Figure("validation of 1,000 names", "\(Int(times.median * 1000)) ms")
    }

    private func lookUp(_ names: Int, _ registered: Int, _ conninfo: String) throws -> Figure {
        let ours = try Program.measure(
            program, ["validate", file, "--quiet", "--registry", "--output", folder + "/refused.csv"],
            ["DATABASE_URL": conninfo], in: folder)
        return Figure(
            "validation of \(names.grouped) names against a registry of \(registered.grouped)",
            "\(Int(Double(names) / ours.seconds).grouped) names a second, \(ours.mebibytes) MiB")
    }
}
