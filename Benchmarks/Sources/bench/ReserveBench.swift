import EmbeddedPostgres
import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import Postgres

/// Reservations from a file by the real program, with look-alike keys and history, compared with `psql \\copy` of the
/// same names and look-alike keys into one table, in which both are unique. One after the other in each round, in the
/// same database.
struct ReserveBench {
    private let program: String
    private let folder: String
    private let postgres: EmbeddedPostgres

    private static let patience = Duration.seconds(120)

    static func run(program: String, names: Int, rounds: Int) async throws -> [Figure] {
        let folder = "/tmp/handles-reserve-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var source = NameSource(seed: 5)
        var keys: Set<LookalikeKey> = []
        let handles = source.next(names).map(\.handle).filter { keys.insert(LookalikeKey($0)).inserted }
        let bench = ReserveBench(
            program: program, folder: folder, postgres: try EmbeddedPostgres(folder: folder + "/data"))
        try await bench.postgres.use(as: .command) { conninfo in
            try await Registry.migrate(conninfo)
        }
        var figures: [Figure] = []
        for (order, names) in [("any order", handles), ("alphabetical order", handles.sorted())] {
            try bench.write(names)
            var results: [Result] = []
            for _ in 0..<rounds { results.append(try await bench.compare(names.count, order)) }
            let work = "reservations of \(names.count.grouped) names in \(order)"
            figures.append(Figure(work, results.map(\.ratio), of: "the rate of `\\copy` of names and keys"))
            guard let last = results.last else { continue }
            figures.append(
                Figure(
                    "\(work), a name",
                    "\(last.stored / names.count) bytes stored, indexes and history included; "
                        + "\(last.logged / names.count) bytes of log"))
        }
        return figures
    }

    private struct Result {
        let ratio: Double
        /// Bytes of the two tables, and of the server's log.
        let stored: Int
        let logged: Int
    }

    private func write(_ names: [Handle]) throws {
        try names.map { "\($0)\n" }.joined().write(
            toFile: folder + "/names.txt", atomically: true, encoding: .utf8)
        let rows = names.map { "\($0)\t\(LookalikeKey($0))\n" }
        try rows.joined().write(toFile: folder + "/rows.tsv", atomically: true, encoding: .utf8)
    }

    private func compare(_ names: Int, _ order: String) async throws -> Result {
        // Each begins on a server that has just started: all data are on disk, and none in memory.
        try await postgres.use(as: .command) { conninfo in
            try await execute(
                """
                TRUNCATE names, handle_events; DROP TABLE IF EXISTS copied;
                CREATE TABLE copied (handle text COLLATE "C" PRIMARY KEY, key text COLLATE "C" UNIQUE)
                """, on: conninfo)
        }
        let copy = try await postgres.use(as: .command) { conninfo in
            try Program.measure(
                "/usr/bin/env",
                ["psql", conninfo, "-q", "-c", "\\copy copied from '\(folder)/rows.tsv'"], in: folder)
        }
        try await postgres.use(as: .command) { try await execute("DROP TABLE copied", on: $0) }
        let (ours, stored, logged) = try await postgres.use(as: .command) { conninfo in
            let connection = try await Connection.open(conninfo, until: .now + Self.patience)
            let start = try await connection.run(Log(), until: .now + Self.patience).first ?? 0
            let ours = try Program.measure(
                program, ["reserve", "--file", folder + "/names.txt", "--reason", "our own", "--quiet"],
                ["DATABASE_URL": conninfo], in: folder)
            let end = try await connection.run(Log(), until: .now + Self.patience).first ?? 0
            let stored = try await connection.run(Storage(), until: .now + Self.patience).first ?? 0
            await connection.close()
            return (ours, Int(stored), Int(end - start))
        }
        print(
            "reservations in \(order): \(Int(Double(names) / ours.seconds)) names/s, "
                + "\(copy.seconds / ours.seconds) × \\copy, \(ours.mebibytes) MiB")
        return Result(ratio: copy.seconds / ours.seconds, stored: stored, logged: logged)
    }

    private func execute(_ script: String, on conninfo: String) async throws {
        let connection = try await Connection.open(conninfo, until: .now + Self.patience)
        for statement in script.split(separator: ";") where statement.contains(where: { !$0.isWhitespace }) {
            try await connection.run(script: String(statement), until: .now + Self.patience)
        }
        await connection.close()
    }
}

/// The bytes of the server's log so far.
private struct Log: NumberStatement {
    static let sql = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"
}

/// The bytes of the tables of names, with their indexes.
private struct Storage: NumberStatement {
    static let sql = """
        SELECT pg_total_relation_size('names') + pg_total_relation_size('handle_events')
        """
}
