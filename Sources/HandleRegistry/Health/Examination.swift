import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// One diagnosis of a database: the queries, check by check. The texts of the findings are with the types of the
/// results.
///
/// It uses a connection of its own with all rights of the user, so that it sees as much as possible.
struct Examination: Sendable {
    let registry: Registry
    let connection: Connection
    let home: DatabaseHome
    /// The number of connections that a service may open.
    let connections: Int
    let patience: Duration

    typealias Findings = @Sendable (Examination) async throws -> [Finding]

    static let checks: [(check: Finding.Check, findings: Findings)] = [
        (.connection, { try await $0.connectionFindings() }),
        (.writable, { try await [$0.writableFinding()] }),
        (.role, { try await [$0.read(ServiceRole()).finding] }),
        (.schema, { try await $0.schemaFindings() }),
        (.cluster, { try await $0.clusterFindings() }),
        (.locale, { try await [$0.read(DatabaseLocale()).finding] }),
        (.durability, { try await $0.read(Durability()).findings }),
        (.clock, { try await [$0.clock().finding] }),
        (.replication, { try await $0.replication().findings }),
        (.replica, { try await $0.replicaFindings() }),
        (.words, { try await [$0.wordsFinding()] }),
        (.connections, { try await [$0.read(Connections()).finding(needed: $0.connections)] }),
        (.disk, { try await [disk($0.home, size: $0.read(DatabaseSize()))] }),
        (.transactions, { try await $0.transactions().findings(patience: $0.patience) }),
        (.history, { _ in [.ok(.history, "not checked here: handles verify checks every event")] }),
    ]

    /// The one row of a statement.
    func read<S: Statement>(_ statement: S) async throws -> S.Row {
        guard let row = try await rows(statement).first else {
            throw PostgresError(.unreadable, "a query for one row returned none")
        }
        return row
    }

    private func rows<S: Statement>(_ statement: S) async throws -> [S.Row] {
        try await connection.run(statement, until: .now + registry.pool.configuration.timeout)
    }

    func installedVersion() async throws -> Int {
        try await read(HasBookkeeping()) ? Int(read(InstalledVersion())) : 0
    }

    private func schemaFindings() async throws -> [Finding] {
        [Self.schema(installed: try await installedVersion(), needed: Registry.schemaVersion)]
    }

    private func connectionFindings() async throws -> [Finding] {
        let facts = try await read(ServerFacts())
        return [facts.connection(roundTrip: try await clock().roundTrip)]
    }

    private func writableFinding() async throws -> Finding {
        let finding = try await read(ServerFacts()).writable
        guard finding.level == .ok, try await installedVersion() > 0 else { return finding }
        do {
            try await Registry.tryWrite(on: connection, until: .now + registry.pool.configuration.timeout)
            return finding
        } catch let error as PostgresError where error.code == .refused {
            return .fail(
                .writable, "a write on trial was \(error)",
                advice: "no claim is possible until this is corrected; the server's log may say more")
        }
    }

    /// The clock offset from the fastest of four readings: the round trip limits the precision.
    private func clock() async throws -> ClockReading {
        var readings: [ClockReading] = []
        for _ in 0..<4 {
            let (date, start) = (Date.now, ContinuousClock.now)
            let theirs = try await read(DatabaseClock())
            let roundTrip = ContinuousClock.now - start
            let midpoint = date.addingTimeInterval(roundTrip / .seconds(2))
            readings.append(
                ClockReading(ahead: .seconds(theirs.timeIntervalSince(midpoint)), roundTrip: roundTrip))
        }
        return readings.min { $0.roundTrip < $1.roundTrip } ?? ClockReading(ahead: .zero, roundTrip: .zero)
    }

    private func replication() async throws -> Replication {
        let facts = try await read(ServerFacts())
        return Replication(
            replicas: try await rows(LookupReplicas()), synchronous: facts.synchronousStandbys,
            isReplicaItself: facts.isInRecovery, isPrivate: home.isHere)
    }

    /// Measures how long the replica takes to reach the primary's current position.
    private func replicaFindings() async throws -> [Finding] {
        guard let replica = registry.reads.replica else { return [] }
        let system = try await read(SystemIdentifier())
        let progress = try await read(ServerFacts()).isInRecovery ? nil : read(PrimaryProgress())
        let start = ContinuousClock.now
        do {
            while true {
                guard let replayed = try await replica.run(ReplicaProgress()).first else { return [.noReplica] }
                guard replayed.identity.system == system else { return [.strangeReplica] }
                guard let progress else { break }
                guard replayed.identity == progress.identity else { return [.divergedReplica] }
                if replayed.position >= progress.position { break }
                guard .now - start < ReadSide.greatestAge else { return [.lateReplica] }
                try await ContinuousClock().sleep(for: .milliseconds(50))
            }
            return [.ok(.replica, "caught up with the primary within \((ContinuousClock.now - start).text)")]
        } catch let error as PostgresError where error.isTransient {
            return [.unreachableReplica(error)]
        }
    }

    /// Uses the service's own connections and role.
    private func wordsFinding() async throws -> Finding {
        let changes: Int
        do {
            try await registry.refreshWords()
            changes = try await registry.wordChanges().count
        } catch let error as PostgresError where error.code == .unknownValue {
            return .fail(
                .words, "the words can't be read (\(error))", advice: "run a newer program, or correct the row")
        } catch let error as PostgresError where error.code != .refused {
            return .fail(
                .words, "the service's own connections fail (\(error))",
                advice: "check the user's connection limit, and the server's log")
        }
        return .ok(
            .words,
            "\(registry.words.count) in force, \(changes) \(changes == 1 ? "change" : "changes") in the database")
    }

    private func transactions() async throws -> Transactions {
        Transactions(
            long: try await rows(LongTransactions(age: patience)),
            prepared: try await read(PreparedTransactions(age: patience)),
            hidden: try await read(HiddenSessions()))
    }
}
