import EmbeddedPostgres
import Foundation
import HandleCore
import HandleRegistry
import Postgres

/// Reservations from a file by the real program, with look-alike keys and history, compared with `psql \\copy` of the
/// same rows into a table like that of the names, without history. One after the other in each round, in the same
/// database.
struct ReserveBench {
    private let program: String
    private let folder: String
    private let postgres: EmbeddedPostgres

    private static let patience = Duration.seconds(120)

    static func run(program: String, names: Int, rounds: Int) async throws {
        let folder = "/tmp/handles-reserve-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var source = NameSource(seed: 5)
        let handles = source.next(names).map(\.handle.description)
        let bench = ReserveBench(
            program: program, folder: folder, postgres: try EmbeddedPostgres(folder: folder + "/data"))
        try await bench.postgres.use(as: .command) { conninfo in
            let pool = Pool.patient(conninfo)
            try await Registry(pool: pool).migrate()
            await pool.close()
        }
        for (order, names) in [("any order", handles), ("alphabetical", handles.sorted())] {
            try bench.write(names)
            var ratios: [Double] = []
            for _ in 0..<rounds { ratios.append(try await bench.compare(names.count, order)) }
            print("reservations in \(order), median: \(ratios.sorted()[ratios.count / 2]) × the rate of \\copy")
        }
    }

    private func write(_ names: [String]) throws {
        try (names.joined(separator: "\n") + "\n").write(
            toFile: folder + "/names.txt", atomically: true, encoding: .utf8)
        let rows = names.enumerated().map { index, name in
            "\(name)\t\\N\tr\t\\N\t\\N\tour own\t1\t\(index)\t\\N\t2027-01-01 00:00:00+00\n"
        }
        try rows.joined().write(toFile: folder + "/rows.tsv", atomically: true, encoding: .utf8)
    }

    private func compare(_ names: Int, _ order: String) async throws -> Double {
        // Each begins on a server that has just started: all data are on disk, and none in memory.
        try await postgres.use(as: .command) { conninfo in
            try await execute(
                """
                TRUNCATE handles, lookalike_keys, handle_events; DROP TABLE IF EXISTS copied;
                CREATE TABLE copied (LIKE handles INCLUDING ALL)
                """, on: conninfo)
        }
        let columns = "handle, display, state_code, owner, hold, reason, version, change, until, changed_at"
        let copy = try await postgres.use(as: .command) { conninfo in
            try Program.measure(
                "/usr/bin/env",
                ["psql", conninfo, "-q", "-c", "\\copy copied (\(columns)) from '\(folder)/rows.tsv'"], in: folder)
        }
        try await postgres.use(as: .command) { try await execute("DROP TABLE copied", on: $0) }
        let ours = try await postgres.use(as: .command) { conninfo in
            try Program.measure(
                program, ["reserve", "--file", folder + "/names.txt", "--reason", "our own", "--quiet"],
                ["DATABASE_URL": conninfo], in: folder)
        }
        print(
            "reservations in \(order): \(Int(Double(names) / ours.seconds)) names/s, "
                + "\(copy.seconds / ours.seconds) × \\copy, \(ours.mebibytes) MiB")
        return copy.seconds / ours.seconds
    }

    private func execute(_ script: String, on conninfo: String) async throws {
        let connection = try await Connection.open(conninfo, until: .now + Self.patience)
        for statement in script.split(separator: ";") where statement.contains(where: { !$0.isWhitespace }) {
            try await connection.run(script: String(statement), until: .now + Self.patience)
        }
        await connection.close()
    }
}
