import ArgumentParser

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "List the settings with their defaults and meanings.",
        discussion: """
            Examples:
              handles settings
              handles settings file > handles.conf
            """)

    enum Form: String, ExpressibleByArgument, CaseIterable { case table, file }

    @Argument(help: "The table in docs/operations.md, or the file that the Debian package installs.") var form = Form
        .table

    func run() throws {
        var output = Output()
        try output.line(String((form == .table ? Setting.table : Setting.packagedFile).dropLast()))
        try output.flush()
    }
}
