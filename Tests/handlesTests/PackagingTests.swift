import Foundation
import TestService
import TestSupport
import Testing

/// The files that are installed with the program agree with it.
@Suite struct PackagingTests {
    private func text(_ name: String) throws -> String { try Repository.text("Packaging/\(name)") }

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
