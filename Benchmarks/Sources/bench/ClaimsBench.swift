import EmbeddedPostgres
import Foundation
import HandleRegistry
import Postgres

/// Claims over HTTP, each for a new owner and durable, compared with `pgbench` writing the rows that a claim leaves, a
/// transaction for each name. Both use the same server and the same number of clients, in turn.
struct ClaimsBench {
    private static let clients = 64
    private static let seconds = 4
    private static let transactions = 30_000

    static func run(program: String, rounds: Int) async throws -> [Figure] {
        let folder = "/tmp/handles-claims-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await EmbeddedPostgres(folder: folder).use(as: .command) { conninfo in
            try await Registry.migrate(conninfo)
            let pgbench = Pgbench(conninfo: conninfo, folder: folder)
            var (ratios, withFeed): ([Double], [Double]) = ([], [])
            for round in 1...rounds {
                let rows = try pgbench.run(rowsOfAClaim, clients: clients, transactions: transactions)
                let claims = try rate(of: program, conninfo, folder, feed: "0s", requests: "\(round)")
                let others = try rate(of: program, conninfo, folder, feed: "1d", requests: "f\(round)")
                ratios.append(claims / rows)
                withFeed.append(others / claims)
                print("claims over HTTP: \(Int(claims)) a second; pgbench: \(Int(rows)) transactions a second")
            }
            return [
                Figure(
                    "claims over HTTP, \(clients) clients", ratios, of: "the rate of `pgbench` writing the same rows"),
                Figure("claims over HTTP, with the feed", withFeed, of: "the rate without it"),
            ]
        }
    }

    /// Claims a second.
    /// - Parameter feed: how long the feed keeps its events.
    private static func rate(
        of program: String, _ conninfo: String, _ folder: String, feed: String, requests: String
    ) throws -> Double {
        let service = try RunningService(program, database: conninfo, settings: ["HANDLES_FEED": feed])
        defer { service.stop() }
        let wrk = Wrk(port: service.port, folder: folder, connections: clients, seconds: seconds)
        return try wrk.run(self.requests(of: requests), key: RunningService.key).requestsPerSecond
    }

    /// More names than are claimed in a round, so that none is claimed twice.
    private static func requests(of round: String) -> [String] {
        (0..<200_000).map { number in
            let name = "h\(round)" + String(UInt64.random(in: 0..<(1 << 60)), radix: 36).prefix(11) + "x"
            return "PUT /v1/handles/\(name) {\"owner\":\"owner-\(round)-\(number)\"}"
        }
    }

    private static let rowsOfAClaim = """
        \\set number random(1, 10000000000000)
        BEGIN;
        INSERT INTO owners (owner, id, claimed, quarantined, quarantine_ends, holds, hold_ends, changed_at)
        VALUES (sha256(:number::text::bytea), 'owner-' || :number::text, 1, '{}', '{}', '{}', '{}', now());
        INSERT INTO names (changed_at, change, version, place, state, exempt, key, handle, owner, last_hash)
        VALUES (now(), :number, 1, 0, 'c', false, 'k' || :number::text, 'h' || :number::text,
            'owner-' || :number::text, sha256(:number::text::bytea));
        INSERT INTO handle_events (at, version, action, from_state, to_state, handle, hash, actor, owner)
        VALUES (now(), 1, 'c', 'f', 'c', 'h' || :number::text, sha256(:number::text::bytea), 'bench',
            sha256(:number::text::bytea));
        COMMIT;
        """
}
