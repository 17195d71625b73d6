import EmbeddedPostgres
import Foundation
import HandleRegistry
import Postgres

/// Checks while the memory of PostgreSQL, with the system's cache of its files, is a fifth of the database, compared with
/// the same checks while all of it is in memory.
struct PressureBench {
    private static let buffers = 16 << 20
    /// Less would not be enough for PostgreSQL's own work.
    private static let leastMemory = 16 << 20

    static func run(_ options: ServiceBench.Options) async throws -> [Figure] {
        let work = "99th percentile of checks with memory for a fifth of the database"
        guard let group = MemoryGroup() else {
            return [Figure(work, "not measured: that needs root and a memory cgroup")]
        }
        defer { group.remove() }
        let folder = "/tmp/handles-pressure-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let postgres = try EmbeddedPostgres(folder: folder, settings: ["shared_buffers=\(buffers >> 20)MB"])
        return try await postgres.use(as: .command) { conninfo in
            try await Registry.migrate(conninfo)
            let connection = try await Connection.open(conninfo, until: .now + .seconds(120))
            var source = NameSource(seed: 9)
            let taken = source.next(options.names)
            try await Filling(connection: connection).fill(taken)
            let size = try await connection.run(DatabaseSize(), until: .now + .seconds(120)).first ?? 0
            await connection.close()
            let service = try RunningService(options.program, database: conninfo)
            defer { service.stop() }
            let wrk = Wrk(port: service.port, folder: folder, seconds: options.seconds)
            let requests = Requests(taken: taken.shuffled(), free: source.next(min(200_000, options.names)))
            let calls = Array(requests.checks.prefix(2))
            let before = try calls.map { try measure($0, wrk) }
            let memory = max(Int(size) / 5 - buffers, leastMemory)
            do {
                try group.limit(Program.postmaster(in: folder), to: memory)
            } catch {
                // Containers may forbid it to root too.
                return [Figure(work, "not measured: \(error)")]
            }
            let after = try calls.map { try measure($0, wrk) }
            return calls.indices.map { figure("\(work): \(calls[$0].label)", before[$0], after[$0]) }
        }
    }

    private static func figure(_ work: String, _ before: Wrk.Result, _ after: Wrk.Result) -> Figure {
        let (ratio, rate) = (after.p99 / before.p99, after.requestsPerSecond / before.requestsPerSecond)
        return Figure(
            work,
            String(
                format: "%.1f × that of all in memory (%.1f and %.1f ms); %.2f of the rate", ratio,
                after.p99 / 1000, before.p99 / 1000, rate))
    }

    /// The second of two runs; the first fills the caches.
    private static func measure(_ call: Requests.Call, _ wrk: Wrk) throws -> Wrk.Result {
        _ = try wrk.run(call.requests, key: RunningService.key)
        let result = try wrk.run(call.requests, key: RunningService.key)
        print("\(call.label): \(Int(result.requestsPerSecond)) a second, p99 \(Int(result.p99)) µs")
        return result
    }
}

/// The bytes of the database.
private struct DatabaseSize: NumberStatement {
    static let sql = "SELECT pg_database_size(current_database())"
}
