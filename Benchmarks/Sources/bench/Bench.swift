/// `bench [validation|claims]`: both when nothing is said.
@main
struct Bench {
    static func main() async throws {
        let wanted = CommandLine.arguments.dropFirst()
        if wanted.isEmpty || wanted.contains("validation") { try ValidationBench.run() }
        if wanted.isEmpty || wanted.contains("claims") { try await ClaimsBench.run() }
    }
}
