import ArgumentParser
import Foundation
import TestService
import TestSupport
import Testing

@testable import handles

/// The commands without subcommands, by their full names.
enum AllCommands {
    struct Command: Sendable, CustomTestStringConvertible {
        let path: [String]
        let type: any ParsableCommand.Type
        var name: String { path.joined(separator: " ") }
        var testDescription: String { name }
    }

    static let all = withGroups.filter { $0.type.configuration.subcommands.isEmpty }
    static let withGroups = tree(of: Handles.self, [])

    private static func tree(of type: any ParsableCommand.Type, _ path: [String]) -> [Command] {
        let inner = type.configuration.subcommands
        return [Command(path: path, type: type)]
            + inner.flatMap { tree(of: $0, path + [$0.configuration.commandName ?? unnamed]) }
    }

    /// In the path of a command without a name in its configuration, so that its examples don't match. The parser would
    /// make the name from that of the type, at each start: 2 ms in all.
    static let unnamed = "(unnamed)"
}

@Suite struct HelpTests {
    /// The examples in the help of a command, each split into words as a shell does.
    private static func examples(_ command: AllCommands.Command) -> [[String]] {
        exampleLines(command).map { words(String($0)) }
    }

    static func exampleLines(_ command: AllCommands.Command) -> [Substring] {
        let text = command.type.configuration.discussion
        guard let start = text.range(of: "Examples:\n") else { return [] }
        return text[start.upperBound...].split(separator: "\n")
    }

    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        for character in line + " " {
            if character == "\"" {
                isQuoted.toggle()
                // A placeholder, so that empty quotes make a word too.
                word.append("\u{0}")
            } else if character == " ", !isQuoted {
                if !word.isEmpty { words.append(word.replacing("\u{0}", with: "")) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return words
    }

    @Test(arguments: AllCommands.all)
    func everyCommandHasTwoExamplesThatParse(_ command: AllCommands.Command) throws {
        let examples = Self.examples(command)
        #expect(examples.count >= 2)
        for words in examples {
            // The words before the program's name are another program or environment variables.
            let start = try #require(words.firstIndex(of: "handles"), "\(words)")
            let arguments = words[(start + 1)...].prefix { $0 != ">" && $0 != "|" && $0 != "2>" }
            #expect(arguments.starts(with: command.path), "\(words)")
            let parsed = try Handles.parseAsRoot(Array(arguments))
            #expect(type(of: parsed) == command.type, "\(words)")
        }
    }

    /// A part of an example that was wrapped would be pasted without the rest, such as `--dry-run`.
    @Test(arguments: AllCommands.withGroups)
    func examplesAreNotWrapped(_ command: AllCommands.Command) async throws {
        let examples = Self.exampleLines(command)
        let folder = TemporaryFolder.make("examples")
        let arguments = command.path + ["--help"]
        for help in [
            try await Program.run(arguments, in: folder), try await Terminal.run(arguments, in: folder, columns: 80),
        ] {
            let lines = Set(help.output.split(separator: "\n"))
            #expect(help.status == 0)
            for example in examples { #expect(lines.contains(example), "\(example) in \(help.output)") }
        }
        for example in examples {
            #expect(String(example).trimmed.count <= 76, "\(example)")
            // Right behind the command: the shorter command is the same, and harmless.
            guard let option = example.range(of: " --dry-run") else { continue }
            let name = String(example[..<option.lowerBound]).trimmed.dropFirst("handles ".count)
            #expect(AllCommands.all.contains { $0.name == name }, "\(example)")
        }
    }

    @Test(arguments: AllCommands.all)
    func everyOptionIsExplained(_ command: AllCommands.Command) {
        let help = command.type.helpMessage(columns: 100)
        var lines = help.split(separator: "\n").map(String.init)
        lines = Array(lines.drop { !$0.hasSuffix("OPTIONS:") })
        for (index, line) in lines.enumerated() where line.hasPrefix("  -") {
            let option = line.dropFirst(2)
            // A long option has its explanation in the next line.
            let next = index + 1 < lines.count ? lines[index + 1] : ""
            #expect(option.contains("  ") || option.contains("> ") || next.hasPrefix("        "), "\(line)")
        }
    }

    @Test func completionScriptIsMadeForEveryShell() async throws {
        let folder = TemporaryFolder.make("completion")
        for shell in ["bash", "zsh", "fish"] {
            let script = try await Program.run(["--generate-completion-script", shell], in: folder)
            #expect(script.status == 0)
            for command in AllCommands.all {
                #expect(script.output.contains(command.path[0]), "\(shell) \(command.name)")
            }
        }
    }

    @Test(arguments: [
        ("w", "words"), ("validate na", "names.csv"), ("validate --output ne", "nest"), ("import na", "names.csv"),
        ("words import na", "names.csv"), ("claim --file na", "names.csv"), ("reserve --file na", "names.csv"),
        ("reserve --undo na", "names.csv"), ("release --undo na", "names.csv"), ("push --secret-file na", "names.csv"),
        ("check --data n", "nest"),
    ])
    func tabKeyCompletesCommandsFilesAndFolders(_ words: String, _ completion: String) async throws {
        let folder = TestFolder("tab")
        try folder.file("names.csv", "")
        try await folder.shell("mkdir nest && '\(Program.path)' --generate-completion-script bash > handles.bash")
        // As bash does after these words and the tab key.
        let script = """
            source ./handles.bash
            COMP_WORDS=(handles \(words)) COMP_LINE="handles \(words)"
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE} COMP_TYPE=9
            _handles handles "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let tried = try await Program.run(program: "/bin/bash", ["-c", script], in: folder.path)
        #expect(tried.output == "\(completion)\n", "\(tried.words)")
    }

    @Test func helpGroupsTheCommandsWithin80Columns() async throws {
        let help = try await Program.run(["--help"], in: TemporaryFolder.make("help"))
        let lines = help.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(
            lines.filter { $0.hasSuffix("SUBCOMMANDS:") } == [
                "NAME SUBCOMMANDS:", "FILE SUBCOMMANDS:", "RESERVED WORD SUBCOMMANDS:", "OPERATION SUBCOMMANDS:",
            ])
        for command in AllCommands.all { #expect(lines.contains { $0.hasPrefix("  \(command.path[0]) ") }) }
    }
}
