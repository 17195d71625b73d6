import Postgres

// Findings about the current load of the server.

/// The offset between the database's clock and this machine's.
struct ClockReading: Sendable {
    /// Time by which the database's clock is ahead of this machine's.
    let ahead: Duration
    /// Duration of the reading. The moment within it at which the database read its clock is unknown.
    let roundTrip: Duration

    private static let littleOff = Duration.seconds(1)
    private static let farOff = Duration.seconds(30)

    var finding: Finding {
        let off = ahead < .zero ? .zero - ahead : ahead
        let certainly = max(.zero, off - roundTrip / 2)
        let found = "the database's clock is \(off.text) \(ahead < .zero ? "behind" : "ahead of") this machine's"
        let advice = "synchronise both clocks by NTP; holds and quarantines end by the database's clock"
        if certainly > Self.farOff { return .fail(.clock, found, advice: advice) }
        return certainly > Self.littleOff ? .warn(.clock, found, advice: advice) : .ok(.clock, found)
    }
}

/// The servers that stream the primary's log.
struct Replication: Sendable {
    let replicas: [LookupReplicas.Row]
    /// The setting `synchronous_standby_names`.
    let synchronous: String
    let isReplicaItself: Bool
    let isPrivate: Bool

    /// A replica with more lag takes long to take over.
    private static let greatestLag = Duration.seconds(10)

    var findings: [Finding] {
        if isReplicaItself { return [.ok(.replication, "the server is a replica itself")] }
        let findings = replicas.map(Self.finding)
        let isHidden = replicas.contains { $0.state == nil }
        let hasSynchronous = replicas.contains { ["sync", "quorum"].contains($0.mode) }
        if !synchronous.isEmpty {
            guard !hasSynchronous, !isHidden else { return findings }
            return findings + [
                .fail(
                    .replication, "commits wait for a standby (\(synchronous)) none of which is connected",
                    advice: "start the standby, or remove it from synchronous_standby_names")
            ]
        }
        if replicas.isEmpty, isPrivate { return [.ok(.replication, "none: the private PostgreSQL is one server")] }
        return findings + [
            .warn(
                .replication,
                replicas.isEmpty ? "no replica is connected" : "no replica is synchronous",
                advice:
                    "set synchronous_standby_names, or claims that were acknowledged may be lost with the server's disk"
            )
        ]
    }

    private static func finding(_ replica: LookupReplicas.Row) -> Finding {
        guard let state = replica.state else {
            return .warn(
                .replication, "\(replica.name) is connected, but its state is hidden",
                advice: "connect as a member of pg_monitor to see more")
        }
        let lag = replica.lag ?? .zero
        let found =
            "\(replica.name) (\(replica.mode ?? "async")): \(state), \((replica.bytes ?? 0).sizeText) and \(lag.text) behind"
        guard state == "streaming", lag <= greatestLag else {
            return .warn(
                .replication, found, advice: "see the replica's log; check its load and the network")
        }
        return .ok(.replication, found)
    }
}

extension Finding {
    static let noReplica = warn(
        .replica, "the server of HANDLES_READ_URL is not a replica, so it is not used",
        advice: "point HANDLES_READ_URL at a replica, or unset it")

    static let strangeReplica = fail(
        .replica, "the server of HANDLES_READ_URL is a replica of another database: its answers would be wrong",
        advice: "point HANDLES_READ_URL at a replica of the database of DATABASE_URL")

    static let divergedReplica = warn(
        .replica, "on another timeline than the primary, so it is not used",
        advice:
            "after a failover it follows at its next restart point; if it does not, rebuild it (pg_rewind)")

    static let lateReplica = warn(
        .replica, "more than \(ReadSide.greatestAge.text) behind, so it is not used",
        advice: "see the replica's log; check its load and the network")

    static func unreachableReplica(_ error: PostgresError) -> Finding {
        warn(
            .replica, "can't be queried (\(error)); the primary answers instead",
            advice: "check HANDLES_READ_URL, that the server runs, and that it accepts this user")
    }
}

/// Transactions that keep locks and make others wait.
struct Transactions: Sendable {
    let long: [LongTransactions.Row]
    let prepared: Int64
    /// Number of sessions hidden from this user.
    let hidden: Int64

    func findings(patience: Duration) -> [Finding] {
        var findings = long.map { transaction in
            Finding.warn(
                .transactions, transaction.sentence,
                advice: transaction.blockers.isEmpty
                    ? "SELECT pg_terminate_backend(\(transaction.process)), unless it does something that has to take so long"
                    : "end what it waits for: process \(transaction.blockers)")
        }
        if prepared > 0 {
            findings.append(
                .warn(
                    .transactions,
                    "\(prepared) prepared transactions are older than \(patience.text), and keep their locks",
                    advice: "see pg_prepared_xacts; end abandoned ones with COMMIT PREPARED or ROLLBACK PREPARED"))
        }
        let rest = hidden > 0 ? "; \(hidden) sessions of other users can't be seen" : ""
        return findings.isEmpty ? [.ok(.transactions, "none is older than \(patience.text)\(rest)")] : findings
    }
}

extension LongTransactions.Row {
    fileprivate var sentence: String {
        let program = application.isEmpty ? user : "\(user), \(application)"
        let doing = blockers.isEmpty ? state : "waiting for a lock"
        return "process \(process) (\(program)) has been in a transaction for \(age.text), \(doing)"
    }
}
