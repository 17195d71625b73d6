import ArgumentParser
import Foundation
import HandleServer

/// The program: the service and the admin commands.
@main
struct Handles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handles",
        abstract: "A registry of unique handles (@names).",
        discussion: """
            Without DATABASE_URL everything happens in a private PostgreSQL in the folder HANDLES_DATA (.handles).

            Exit status: 0 all fine, 1 some names were refused or a check failed, 64 wrong usage, 65 unreadable data, \
            66 no such input, 69 database unavailable, 70 a fault of ours, 73 cannot write, 130 interrupted.
            """,
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Name",
                subcommands: [
                    CheckCommand.self, SuggestCommand.self, ShowCommand.self, ListCommand.self, ClaimCommand.self,
                    RenameCommand.self, ReleaseCommand.self, ReserveCommand.self, AssignCommand.self,
                    UnforwardCommand.self, LockCommand.self, UnlockCommand.self,
                ]),
            CommandGroup(
                name: "File", subcommands: [ValidateCommand.self, ExportCommand.self, ImportCommand.self]),
            CommandGroup(name: "Reserved word", subcommands: [WordsCommand.self]),
            CommandGroup(
                name: "Operation",
                subcommands: [
                    ServeCommand.self, PushCommand.self, MigrateCommand.self, DoctorCommand.self, VerifyCommand.self,
                    KeysCommand.self, SettingsCommand.self, VersionCommand.self,
                ]),
        ])

    /// Runs the program. The parser gets only arguments of commands that exist.
    static func main() async {
        do {
            try await CommandEdge.report { @Sendable in
                try refuseUnknownCommand(ProcessInfo.processInfo.arguments.dropFirst())
            }
        } catch {
            exit(withError: error)
        }
        await main(nil)
    }

    /// Refuses the name of a command that does not exist, which the parser would take for an unexpected argument.
    private static func refuseUnknownCommand(_ arguments: ArraySlice<String>) throws {
        var path: [String] = []
        var commands = configuration.subcommands
        for word in arguments where !(path.isEmpty && word == help) {
            guard !commands.isEmpty, !word.hasPrefix("-") else { return }
            path.append(word)
            if let command = commands.first(where: { $0.configuration.commandName == word }) {
                commands = command.configuration.subcommands
                continue
            }
            let group = path.dropLast()
            let names = commands.compactMap { $0.configuration.commandName } + (group.isEmpty ? [help] : [])
            let hint =
                names.nearest(to: word).map { "did you mean \((group + [$0]).joined(separator: " "))?" }
                ?? "\((["handles", help] + group).joined(separator: " ")) lists the commands"
            throw CommandFault(.usage, "there is no command \(path.joined(separator: " ")); \(hint)")
        }
    }

    /// The parser's own command.
    private static let help = "help"
}
