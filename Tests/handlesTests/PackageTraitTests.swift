import Foundation
import HandleServer
import TestService
import TestSupport
import Testing

/// The program refuses a setting that needs a package trait it was built without. It never starts without a part that
/// is configured.
@Suite struct PackageTraitTests {
    private let folder = TemporaryFolder.make("traits")

    @Test func versionListsTheBuiltInTraits() async throws {
        let plain = try await Program.run(["version"], in: folder)
        #expect(plain.status == 0)
        #expect(plain.output.hasPrefix("handles \(Version.current)\nbuilt in: "))
        for trait in PackageTrait.allCases {
            #expect(plain.output.contains(trait.rawValue) == trait.isBuiltIn, "\(plain.output)")
        }
        let json = try await Program.run(["version", "--json"], in: folder)
        let members = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(members?["version"] as? String == Version.current)
        #expect(members?["traits"] as? [String] == PackageTrait.builtIn)
    }

    @Test(
        arguments: [
            (PackageTrait.tls, "HANDLES_TLS_CERTIFICATE"), (.tls, "HANDLES_TLS_KEY"),
            (.identityTokens, "HANDLES_TOKEN_ISSUERS"),
        ].filter { !$0.0.isBuiltIn })
    func settingOfAMissingTraitIsRefusedAtTheStart(_ trait: PackageTrait, _ setting: String) async throws {
        let result = try await Program.run(["serve", "--port", "0"], in: folder, [setting: "/nonexistent"])
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.words.hasPrefix("handles: \(setting) needs a program with the trait \(trait.rawValue)"))
        #expect(result.words.contains("make build TRAITS=\(trait.rawValue)"))
        #expect(result.words.split(separator: "\n").count == 1, "\(result.words)")
    }
}
