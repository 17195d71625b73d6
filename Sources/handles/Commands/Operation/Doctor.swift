import ArgumentParser
import EmbeddedPostgres
import Glibc
import HandleRegistry
import Postgres

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the database and its settings, with advice for every problem.",
        discussion: """
            Prints one line for each check: ok, warn or fail, the check, and its finding. Below a warning or failure \
            is the advice. Nothing is changed: a write on trial is rolled back. The exit status is 1 when a check has failed, and 69 when the database \
            can't be used at all.

            Examples:
              handles doctor
              handles doctor --json --database-url postgresql://db.example/handles
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
        try await CommandEdge.run {
            let settings = try database.settings()
            var output = Output(isJSON: json)
            var counts: [Finding.Level: Int] = [:]
            try await examine(settings) { finding in
                counts[finding.level, default: 0] += 1
                try output.result(finding.lines) { $0.write(finding) }
                try output.flush()
            }
            let (ok, warn, fail) = (counts[.ok] ?? 0, counts[.warn] ?? 0, counts[.fail] ?? 0)
            Output.note("\(ok) ok, \(warn) \(warn == 1 ? "warning" : "warnings"), \(fail) failed")
            if fail > 0 { throw CommandFault.refused }
        }
    }

    private func examine(_ settings: Settings, report: (Finding) throws -> Void) async throws {
        if settings.databaseURL == nil, EmbeddedPostgres.isMissing(in: settings.data) {
            let found = "there is no private PostgreSQL in \(settings.data) yet"
            try report(.fail(.connection, found, advice: "run handles serve, which makes it, or set DATABASE_URL"))
            throw CommandFault.noRegistry(in: settings.data)
        }
        let home: DatabaseHome =
            settings.databaseURL == nil ? .here(folder: settings.data, DiskSpace(of: settings.data)) : .elsewhere
        do {
            try await CommandEdge.withPool(settings, as: .reader) { pool in
                let replica = settings.readURL.map { CommandEdge.replicaPool($0, settings) }
                let registry = try Registry(pool: pool, replica: replica, policy: settings.policy)
                do {
                    let connections = settings.databaseConnections + CommandEdge.backgroundConnections
                    try await registry.diagnose(home, connections: connections, report: report)
                } catch {
                    await replica?.close()
                    throw error
                }
                await replica?.close()
            }
        } catch let error as EmbeddedPostgresError {
            try report(.fail(.connection, error.description, advice: "see \(settings.data)/postgres/server.log"))
            throw error
        }
    }
}

extension DiskSpace {
    /// Space on the disk of the private PostgreSQL in `folder`; nil when the system does not report it.
    fileprivate init?(of folder: String) {
        var status = statvfs()
        guard statvfs("\(folder)/postgres", &status) == 0 else { return nil }
        let unit = Int64(status.f_frsize)
        self.init(free: Int64(status.f_bavail) * unit, total: Int64(status.f_blocks) * unit)
    }
}

extension Finding {
    /// The finding, and below it the advice.
    fileprivate var lines: String {
        let start = level.rawValue.padded(to: 6) + check.rawValue.padded(to: 14)
        let indent = "\n" + String(repeating: " ", count: start.count)
        return start + found.printable + (advice.map { indent + $0.printable } ?? "")
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ finding: Finding) {
        object { json in
            json.member("check", finding.check.rawValue)
            json.member("level", finding.level.rawValue)
            json.member("found", finding.found)
            json.member("advice", finding.advice)
        }
    }
}
