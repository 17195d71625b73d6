import HandleServer
import TestSupport
import Testing

@Suite struct VersionRouteTests {
    @Test func versionRouteNamesTheBuiltInTraits() async throws {
        try await withServer { _, anonymous in
            let answer = try await anonymous.send("GET", "/version")
            #expect(answer.status == 200)
            #expect(answer.json["version"] as? String == Version.current)
            #expect(answer.json["traits"] as? [String] == PackageTrait.builtIn)
        }
    }
}
