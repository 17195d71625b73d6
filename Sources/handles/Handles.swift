import ArgumentParser
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
        subcommands: [
            ServeCommand.self, MigrateCommand.self, CheckCommand.self, SuggestCommand.self, ValidateCommand.self,
            ReserveCommand.self, AssignCommand.self,
            ClaimCommand.self,
            ReleaseCommand.self, RenameCommand.self, ShowCommand.self, ListCommand.self, ExportCommand.self,
            ImportCommand.self, VerifyCommand.self,
            WordsCommand.self,
            KeysCommand.self, DoctorCommand.self, VersionCommand.self, SettingsCommand.self,
        ])
}
