import NIOConcurrencyHelpers
package import Postgres

/// Whether the database refuses writes, as far as the last ones tell. Checks go on meanwhile.
package final class WriteHealth: Sendable {
    private struct State {
        var hasRefused = false
        var isReadOnly = false
    }

    private let state = NIOLockedValueBox(State())

    /// True if the database refused the last write, or is read-only.
    package var isRefused: Bool { state.withLockedValue { $0.hasRefused || $0.isReadOnly } }

    func noteSuccess() { state.withLockedValue { $0 = State() } }

    func note(_ error: PostgresError) {
        if error.isOfWriting { state.withLockedValue { $0.hasRefused = true } }
    }

    func note(isReadOnly: Bool) { state.withLockedValue { $0.isReadOnly = isReadOnly } }
}

extension Registry {
    /// Finds out whether the database accepts writes again.
    /// - Throws: `PostgresError` if it does not.
    package func tryWrite() async throws {
        let deadline = ContinuousClock.now + background.configuration.timeout
        try await background.withConnection(until: deadline) { try await Self.tryWrite(on: $0, until: deadline) }
        writeHealth.noteSuccess()
    }

    /// Writes in a transaction that is rolled back.
    /// - Throws: `PostgresError`, such as that of a full disk.
    package static func tryWrite(on connection: Connection, until deadline: ContinuousClock.Instant) async throws {
        try await connection.run(script: "BEGIN", until: deadline)
        do {
            _ = try await connection.run(TrialWrite(), until: deadline)
        } catch {
            try? await connection.run(script: "ROLLBACK", until: deadline)
            throw error
        }
        try await connection.run(script: "ROLLBACK", until: deadline)
    }
}

/// Writes a row that needs room on the disk. Its key can't be one of a request, and its transaction is rolled back.
private struct TrialWrite: Statement {
    /// Random bytes, which the server can't make smaller, for more pages than tables have free.
    private static let bytes = 256 << 10

    static let sql = """
        INSERT INTO idempotency_keys (key, caller, fingerprint, headers, body, change, replays, taken_at, until)
        VALUES ($1, '', '', '{}', $2, $3, 0, now(), now())
        """

    func bind(to parameters: inout Parameters) {
        let change = Int64.random(in: .min ... .max)
        parameters.add("trial \(change)")
        parameters.add(
            bytes: (0..<Self.bytes / 8).flatMap { _ in
                withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) }
            })
        parameters.add(change)
    }

    typealias Row = NoRow
}
