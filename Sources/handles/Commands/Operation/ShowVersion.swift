import ArgumentParser
import HandleRegistry
import HandleServer

struct ShowVersion: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the version and the built-in traits.",
        discussion: """
            TLS, IdentityTokens and AsyncHTTPClient are traits of the package: optional parts, chosen at build time.

            Examples:
              handles version
              handles version --json
            """)

    @Flag(help: "Write a JSON object.") var json = false

    func run() async throws {
        try await CommandEdge.run {
            var output = Output()
            let traits = PackageTrait.builtIn
            if json {
                try output.json { json in
                    json.object { json in
                        json.member("version", Version.current)
                        json.key("traits")
                        json.array { json in for trait in traits { json.string(trait) } }
                    }
                }
            } else {
                try output.line("handles \(Version.current)")
                try output.line("built in: \(traits.isEmpty ? "no trait" : traits.joined(separator: ", "))")
            }
            try output.flush()
        }
    }
}
