import ArgumentParser
import Foundation

/// Options for the database, common to all commands that need one.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "Connection string or URL of PostgreSQL. (DATABASE_URL; default: a private PostgreSQL)")
    var databaseURL: String?

    @Option(
        help: ArgumentHelp(
            "Folder of the private PostgreSQL. (HANDLES_DATA; default: \(Settings().data))", valueName: "folder"),
        completion: .directory)
    var data: String?

    /// The settings. These options and `more` take precedence over the environment.
    func settings(_ more: [String: String] = [:]) throws -> Settings {
        var options = more
        if let databaseURL, Self.hasPassword(databaseURL) {
            Output.note(
                "other users of this machine can read the password in --database-url: put it into DATABASE_URL, or into the "
                    + "file that PGPASSFILE names")
        }
        options["DATABASE_URL"] = databaseURL
        options["HANDLES_DATA"] = data
        var environment = ProcessInfo.processInfo.environment
        // A folder at the command line is not passed over for a database in the environment.
        if databaseURL != nil || data != nil { environment["DATABASE_URL_FILE"] = nil }
        if databaseURL == nil, data != nil { environment["DATABASE_URL"] = nil }
        return try Settings(options: options, environment: environment)
    }

    /// Whether a connection string or URL contains a password.
    private static func hasPassword(_ conninfo: String) -> Bool {
        conninfo.contains(#/(^|[\s?&])(ssl)?password\s*=/#) || conninfo.contains(#/^postgres(ql)?://[^/@]*:[^/@]+@/#)
    }
}
