import ArgumentParser
import HandleRegistry
import HandleServer

struct VersionCommand: AsyncParsableCommand {
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
            var output = Output(isJSON: json)
            let traits = PackageTrait.builtIn
            let list = traits.isEmpty ? "no trait" : traits.joined(separator: ", ")
            try output.result("handles \(Version.current)\nbuilt in: \(list)") { json in
                json.object { json in
                    json.member("version", Version.current)
                    json.key("traits")
                    json.array { json in for trait in traits { json.string(trait) } }
                }
            }
            try output.flush()
        }
    }
}
