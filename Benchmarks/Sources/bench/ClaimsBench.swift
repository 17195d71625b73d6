import EmbeddedPostgres
import Foundation
import HandleCore
import HandleRegistry
import Postgres

/// Claims a second, each for a new owner and durable, compared with `pgbench` inserting single rows into a table with
/// the same columns. Both use the same server and the same number of clients, one after the other in several rounds.
struct ClaimsBench {
    private let registry: Registry
    private let conninfo: String
    private let folder: String

    private static let clients = [16, 64]
    private static let rounds = 3
    private static let seconds = 4
    private static let inserts = 50_000

    static func run() async throws {
        let folder = "/tmp/handles-bench-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await EmbeddedPostgres(folder: folder).use(as: .command) { conninfo in
            let pool = Pool.patient(conninfo)
            let bench = ClaimsBench(registry: try Registry(pool: pool), conninfo: conninfo, folder: folder)
            try await bench.registry.migrate()
            try await bench.makeBareTable()
            for clients in Self.clients { try await bench.compare(clients) }
            await pool.close()
        }
    }

    private func compare(_ clients: Int) async throws {
        var ratios: [Double] = []
        for _ in 0..<Self.rounds {
            let bare = try pgbench(clients)
            let claims = try await claims(clients)
            ratios.append(claims / bare)
            print("\(clients) clients: \(Int(claims)) claims/s, \(Int(bare)) bare inserts/s")
        }
        let median = ratios.sorted()[Self.rounds / 2]
        print(
            "\(clients) clients: a claim is \(String(format: "%.2f", median)) of a bare insert (median of \(Self.rounds))"
        )
    }

    private func claims(_ clients: Int) async throws -> Double {
        let end = ContinuousClock.now + .seconds(Self.seconds)
        let start = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<clients {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        let name = "h" + String(UInt64.random(in: 0..<(1 << 60)), radix: 36)
                        guard let owner = Owner("owner-\(name)") else { continue }
                        guard
                            case .done = try await registry.perform(
                                Claim(name, for: owner, Cause(by: Actor("bench", .admin))))
                        else {
                            continue
                        }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
    }

    private func makeBareTable() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        let connection = try await Connection.open(conninfo, until: deadline)
        try await connection.run(
            script: """
                CREATE TABLE bare (
                    handle text COLLATE "C" NOT NULL PRIMARY KEY, display text NOT NULL, state text NOT NULL, owner text,
                    version bigint NOT NULL, change bigint NOT NULL, changed_at timestamptz NOT NULL
                )
                """, until: deadline)
        await connection.close()
    }

    private func pgbench(_ clients: Int) throws -> Double {
        try Pgbench(conninfo: conninfo, folder: folder).run(
            """
            \\set number random(1, 1000000000000000)
            INSERT INTO bare (handle, display, state, owner, version, change, changed_at)
            VALUES ('h' || :number::text, 'H' || :number::text, 'claimed', 'owner-' || :number::text, 1, :number, now());
            """, clients: clients, transactions: Self.inserts)
    }
}
