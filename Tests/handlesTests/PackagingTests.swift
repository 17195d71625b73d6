import Foundation
import TestService
import TestSupport
import Testing

/// The files that are installed with the program agree with it.
@Suite struct PackagingTests {
    private func text(_ name: String) throws -> String { try Repository.text("Packaging/\(name)") }

    @Test func settingsFileListsEverySetting() async throws {
        let refused = try await Program.run(
            ["check", "johndoe"], in: TemporaryFolder.make("settings"), ["HANDLES_NONSENSE": "1"])
        #expect(refused.status == 64)
        let known = refused.words.matches(of: #/HANDLES_[A-Z_]+/#).map { String($0.output) }
        let listed = try text("handles.conf").split(separator: "\n").compactMap {
            $0.firstMatch(of: #/^#([A-Z_]+)=/#).map { String($0.output.1) }
        }
        #expect(
            Set(listed) == Set(known).subtracting(["HANDLES_NONSENSE"]).union(["DATABASE_URL", "DATABASE_URL_FILE"]))
        #expect(Set(listed).count == listed.count)
    }

    @Test func defaultsInTheSettingsFileAreAccepted() async throws {
        var variables: [String: String] = [:]
        for match in try text("handles.conf").matches(of: #/(?m)^#([A-Z_]+)=(.+)$/#) {
            variables[String(match.output.1)] = String(match.output.2)
        }
        #expect(variables.count > 8)
        let folder = TemporaryFolder.make("defaults")
        variables["HANDLES_DATA"] = "\(folder)/data"
        let result = try await Program.run(["doctor"], in: folder, variables)
        // Status 69: only the database is missing.
        #expect(result.status == 69, "\(result.words)")
    }

    /// systemd rates the rights of a service from 0 (none) to 10 (all). The threshold is 2.5.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/systemd-analyze")))
    func systemdUnitIsValidAndGrantsFewRights() async throws {
        let folder = TemporaryFolder.make("unit")
        let unit = "\(folder)/handles.service"
        // The unit has its path without quotes, so link the program from a path without spaces.
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/handles", withDestinationPath: Program.path)
        try text("handles.service").replacing("@bindir@", with: folder)
            .write(toFile: unit, atomically: true, encoding: .utf8)
        let security = try await run(["systemd-analyze", "security", "--offline=true", "--threshold=25", unit])
        #expect(security.status == 0, "\(security.output.suffix(300))")
        let soundness = try await run(["systemd-analyze", "verify", "--man=no", unit])
        #expect(soundness.status == 0 && soundness.words.isEmpty, "\(soundness.words)")
        // The check does notice a mistake.
        try text("handles.service").replacing("ProtectSystem=strict", with: "ProtectSystem=strictly")
            .write(toFile: unit, atomically: true, encoding: .utf8)
        #expect(try await run(["systemd-analyze", "verify", "--man=no", unit]).words.isEmpty == false)
    }

    private func run(_ command: [String]) async throws -> Program.Result {
        try await Program.run(program: "/usr/bin/env", command, in: "/")
    }
}
