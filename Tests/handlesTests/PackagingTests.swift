import ArgumentParser
import Foundation
import TestService
import TestSupport
import Testing

@testable import handles

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

    /// Examples are shown as they are typed: with no other characters, and each in one line.
    @Test func manPageHasCommandsStatusesAndSettings() async throws {
        let made = try await run([Repository.root.appending(path: "Packaging/man").path, Program.path, "2026-11-30"])
        #expect(made.status == 0 && made.words.isEmpty, "\(made.words)")
        let page = TemporaryFolder.make("man") + "/handles.1"
        try made.output.write(toFile: page, atomically: true, encoding: .utf8)
        let lint = try await run(["mandoc", "-T", "lint", "-W", "warning", page])
        #expect(lint.status == 0 && lint.output.isEmpty, "\(lint)")
        let shown = try await run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", page])
        #expect(shown.status == 0 && shown.words.isEmpty, "\(shown.words)")
        #expect(shown.output.utf8.allSatisfy { $0 < 0x80 })
        // Newer versions of groff show a hyphen without a backslash as another character.
        let source = made.output.split(separator: "\n")
        #expect(source.filter { !$0.hasPrefix(".TH ") && $0.contains(#/(^|[^\\])-/#) } == [])

        let lines = Set(shown.output.split(separator: "\n").map { String($0).trimmed })
        for command in AllCommands.withGroups.dropFirst() where command.type.configuration.shouldDisplay {
            #expect(made.output.contains("\n.SS handles \(command.name)"), "\(command.name)")
            for example in HelpTests.exampleLines(command) {
                #expect(lines.contains(String(example).trimmed), "\(example)")
            }
        }
        for status in [0] + CommandFault.Status.allCases.map(\.rawValue) {
            #expect(made.output.contains("\n.TP\n\(status)\n"), "\(status)")
        }
        for setting in Setting.all { #expect(lines.contains(setting.name), "\(setting.name)") }
    }

    private func run(_ command: [String]) async throws -> Program.Result {
        try await Program.run(program: "/usr/bin/env", command, in: "/")
    }
}
