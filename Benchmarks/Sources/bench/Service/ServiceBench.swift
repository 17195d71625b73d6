import EmbeddedPostgres
import Foundation
import HandleRegistry
import HandleRules
import Postgres

/// The service as its callers see it: the real program on a full registry, loaded over HTTP by wrk on the same machine.
///
/// The results are ratios within one round; the empty route, `/livez`, is 1.00.
struct ServiceBench {
    private let options: Options
    private let folder: String
    private let conninfo: String
    private let service: RunningService
    private let requests: Requests

    struct Options {
        /// The path of the program: beside this one, built with it.
        var program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("handles").path
        var names = 1_000_000
        var rounds = 3
        var seconds = 5

        /// Enough to see that everything works.
        static let short = Options(names: 2000, rounds: 1, seconds: 1)
    }

    static let connections = 64
    /// People typing at the same time; each waits for the typing pause.
    static let typing = 2000
    static let namesPerBatch = 1000

    /// - Returns: the report.
    static func run(_ options: Options) async throws -> String {
        let folder = "/tmp/handles-bench-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let settings = ["shared_buffers=512MB", "shared_preload_libraries=pg_stat_statements"]
        return try await EmbeddedPostgres(folder: folder, settings: settings).use(as: .command) { conninfo in
            try await Registry.migrate(conninfo)
            let connection = try await superuser(of: folder, conninfo)
            try await connection.run(script: "CREATE EXTENSION pg_stat_statements", until: .now + .seconds(120))
            var source = NameSource(seed: 1)
            let taken = source.next(options.names)
            print("filling \(taken.count) names …")
            try await Filling(connection: connection).fill(taken)
            let service = try RunningService(options.program, database: conninfo)
            defer { service.stop() }
            let free = source.next(min(200_000, options.names))
            let bench = ServiceBench(
                options: options, folder: folder, conninfo: conninfo, service: service,
                requests: Requests(taken: taken.shuffled(), free: free))
            let report = try await bench.measure(connection)
            await connection.close()
            return report.markdown
        }
    }

    /// A connection of the superuser, for counting statements. The private PostgreSQL allows no login as the superuser,
    /// so this changes its rules.
    private static func superuser(of folder: String, _ conninfo: String) async throws -> Connection {
        let cluster = folder + "/postgres"
        let rules = try String(contentsOfFile: cluster + "/pg_hba.conf", encoding: .utf8)
        try (rules + "local all postgres trust\n").write(
            toFile: cluster + "/pg_hba.conf", atomically: false, encoding: .utf8)
        kill(pid_t(try Program.postmaster(in: folder)), SIGHUP)
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return try await .open(conninfo.replacing("user=handles", with: "user=postgres"), until: end)
            } catch  where ContinuousClock.now < end {
                // The server has not read its rules yet.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func measure(_ connection: Connection) async throws -> BenchReport {
        var report = BenchReport(machine: Machine.description, options: options)
        for round in 1...options.rounds {
            print("round \(round) of \(options.rounds)")
            var empty = try wrk(requests.empty)
            report.add(empty: empty)
            for call in requests.checks {
                try await connection.run(script: "SELECT pg_stat_statements_reset()", until: .now + .seconds(120))
                let result = try wrk(call.requests, connections: call.connections)
                let queries = try await connection.run(Queries(), until: .now + .seconds(120)).first ?? 0
                // The speed of machines varies, so the empty route is measured before and after each call.
                let next = try wrk(requests.empty)
                report.add(
                    call.label, result, over: .mean(empty, next), namesPerRequest: call.names,
                    queriesPerRequest: Double(queries) / (result.requestsPerSecond * Double(options.seconds)))
                report.add(empty: next)
                empty = next
            }
            report.add("claim", try wrk(requests.claims, key: RunningService.key), over: empty)
            report.add(rows: try pgbench(), over: empty)
        }
        report.memory = service.memory
        return report
    }

    private func wrk(_ list: [String], connections: Int = connections, key: String? = nil) throws -> Wrk.Result {
        try Wrk(port: service.port, folder: folder, connections: connections, seconds: options.seconds)
            .run(list, key: RunningService.key)
    }

    /// One-row look-ups of free names a second, by the database alone.
    private func pgbench() throws -> Double {
        try Pgbench(conninfo: conninfo, folder: folder).run(
            """
            \\set number random(1, 1000000000)
            SELECT handle, state, owner, until FROM names WHERE key = 'x' || :number::text;
            """, clients: Self.connections, transactions: options.seconds * 50_000)
    }
}

/// The number of statements about names that the database ran.
private struct Queries: NumberStatement {
    static let sql = """
        SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements
        WHERE query LIKE '%FROM names%'
        """
}

/// The requests of the benchmark.
struct Requests {
    /// One kind of read-only call.
    struct Call {
        let label: String
        /// Names in each request.
        var names = 1
        var connections = ServiceBench.connections
        let requests: [String]
    }

    let empty = ["GET /livez"]
    let checks: [Call]
    let claims: [String]

    init(taken: [DisplayHandle], free: [DisplayHandle]) {
        let path = "GET /v1/availability?handle="
        let half = free.count / 2
        let batches = (0..<64).map { _ in
            let names = (0..<ServiceBench.namesPerBatch).map { index in
                (index % 2 == 0 ? free : taken).randomElement()?.description ?? ""
            }
            return "POST /v1/availability {\"handles\":[\"" + names.joined(separator: "\",\"") + "\"]}"
        }
        checks = [
            Call(label: "check of a free name", requests: free[..<half].map { path + "\($0)" }),
            Call(
                label: "check of a taken name, five suggestions",
                requests: taken.prefix(100_000).map { path + "\($0)" }),
            Call(
                label: "batch call, \(ServiceBench.namesPerBatch) names, half of them taken",
                names: ServiceBench.namesPerBatch, requests: batches),
            Call(
                label: "live check, \(ServiceBench.typing) people typing, each waiting the pause of 300 ms",
                connections: ServiceBench.typing,
                // Enough sessions that none repeats while its first call waits.
                requests: (0..<200_000).map {
                    "GET /v1/availability/live?handle=\(free[$0 % half])&session=page-\($0)&seq=1"
                }),
        ]
        claims = free[half...].map { "PUT /v1/handles/\($0) {\"owner\":\"owner-\($0)\"}" }
    }
}
