import Foundation

/// `bench [validation] [batch] [reserve] [claims] [pressure] [service] [--short] [--rounds N] [--output FILE]`; without a name,
/// all.
@main
struct Bench {
    static func main() async throws {
        var wanted: Set<String> = []
        var service = ServiceBench.Options()
        var namesInFile = 5_000_000
        var reservations = 1_000_000
        // A file for the report, in addition to the terminal.
        var output: String?
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--short":
                service = .short
                namesInFile = 50_000
                reservations = 20_000
            case "--output": output = arguments.popFirst()
            case "--rounds": service.rounds = arguments.popFirst().flatMap { Int($0) } ?? service.rounds
            default: wanted.insert(argument)
            }
        }
        func wants(_ bench: String) -> Bool { wanted.isEmpty || wanted.contains(bench) }
        if wants("validation") { try ValidationBench.run() }
        var figures: [Figure] = []
        if wants("batch") {
            figures += try await BatchBench.run(program: service.program, names: namesInFile, rounds: service.rounds)
        }
        if wants("reserve") {
            figures += try await ReserveBench.run(program: service.program, names: reservations, rounds: service.rounds)
        }
        if wants("claims") { figures += try await ClaimsBench.run(program: service.program, rounds: service.rounds) }
        if wants("pressure") { figures += try await PressureBench.run(service) }
        let calls = wants("service") ? try await ServiceBench.run(service) : ""
        try report(calls, figures, to: output)
    }

    private static func report(_ calls: String, _ figures: [Figure], to output: String?) throws {
        var text = calls
        if !figures.isEmpty {
            text +=
                "\n## Files, claims and memory\n\nRatios are medians of the rounds, with the lowest and the highest.\n\n"
            text += figures.markdown
        }
        print(text)
        guard let output else { return }
        let folder = URL(fileURLWithPath: output).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: output, atomically: true, encoding: .utf8)
    }
}
