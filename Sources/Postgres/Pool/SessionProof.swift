import CLibpq

extension Connection {
    /// Proves that clients keep their prepared statements, if a pooler is between this one and the server.
    ///
    /// A pooler in transaction mode gives each transaction any session. Prepared statements work there only if the pooler
    /// tracks them (PgBouncer 1.21 and newer does).
    /// - Parameter conninfo: the connection string of this connection.
    /// - Throws: ``PostgresError`` `.unsuitable` with advice if the pooler mixes up the sessions of its clients.
    package func proveSessions(of conninfo: String, until deadline: ContinuousClock.Instant) async throws {
        guard try await isPooled(until: deadline) else { return }
        try await Connection.withNew(conninfo, until: deadline) { first in
            try await Connection.withNew(conninfo, until: deadline) { second in
                try await Self.prove(first, second, until: deadline)
            }
        }
    }

    /// True if the session's process is not the one that the login named.
    private func isPooled(until deadline: ContinuousClock.Instant) async throws -> Bool {
        guard PQsendQuery(wire.pointer, "SELECT pg_backend_pid()") == 1 else { throw lost }
        return try await text(until: deadline) != String(PQbackendPID(wire.pointer))
    }

    /// Sessions of a pool are often used in turn. With an odd number of uses a client meets each of two sessions.
    private static let uses = 5

    /// Both clients prepare a statement of the same name with different texts, and use it.
    private static func prove(
        _ first: Connection, _ second: Connection, until deadline: ContinuousClock.Instant
    ) async throws {
        do {
            try await first.prepareProbe("first", until: deadline)
            try await second.prepareProbe("second", until: deadline)
            for _ in 0..<uses {
                let answers = try await (
                    first.runProbe(until: deadline), second.runProbe(until: deadline), first.runProbe(until: deadline)
                )
                guard answers == ("first", "second", "first") else { throw PostgresError.mixedSessions }
            }
        } catch let error as PostgresError where error.isOfMixedSessions {
            throw PostgresError.mixedSessions
        }
    }

    private static let probe = "handles_probe"

    private func prepareProbe(_ answer: String, until deadline: ContinuousClock.Instant) async throws {
        guard PQsendPrepare(wire.pointer, Self.probe, "SELECT '\(answer)'::text", 0, nil) == 1 else { throw lost }
        try await receive(until: deadline) { _ in }
    }

    private func runProbe(until deadline: ContinuousClock.Instant) async throws -> String? {
        guard PQsendQueryPrepared(wire.pointer, Self.probe, 0, nil, nil, nil, 0) == 1 else { throw lost }
        return try await text(until: deadline)
    }

    /// The first value of the next result, which must be in text format.
    private func text(until deadline: ContinuousClock.Instant) async throws -> String? {
        var text: String?
        try await receive(until: deadline) { result in text = PQgetvalue(result, 0, 0).map { String(cString: $0) } }
        return text
    }
}

extension PostgresError {
    fileprivate static let mixedSessions = PostgresError(.unsuitable, pooler)
}
