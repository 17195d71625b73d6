/// `bench [validation] [batch] [reserve] [claims] [service] [--short] [--rounds N] [--output FILE]`; without a name,
/// all.
@main
struct Bench {
    static func main() async throws {
        var wanted: Set<String> = []
        var service = ServiceBench.Options()
        var namesInFile = 5_000_000
        var reservations = 1_000_000
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--short":
                let output = service.output
                service = .short
                service.output = output
                namesInFile = 50_000
                reservations = 20_000
            case "--output": service.output = arguments.popFirst()
            case "--rounds": service.rounds = arguments.popFirst().flatMap { Int($0) } ?? service.rounds
            default: wanted.insert(argument)
            }
        }
        func wants(_ bench: String) -> Bool { wanted.isEmpty || wanted.contains(bench) }
        if wants("validation") { try ValidationBench.run() }
        if wants("batch") {
            try await BatchBench.run(program: service.program, names: namesInFile, rounds: service.rounds)
        }
        if wants("reserve") {
            try await ReserveBench.run(program: service.program, names: reservations, rounds: service.rounds)
        }
        if wants("claims") { try await ClaimsBench.run() }
        if wants("service") { try await ServiceBench.run(service) }
    }
}
