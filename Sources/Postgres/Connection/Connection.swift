import CLibpq
import Dispatch

/// One connection to a server, which never blocks a thread. Its owner runs one operation at a time on it.
package actor Connection {
    /// Safe to send although it is a pointer: libpq lets a connection move between threads as long as only one uses it
    /// at a time, and the actor ensures that.
    struct Wire: @unchecked Sendable {
        let pointer: OpaquePointer
        var descriptor: Int32 { PQsocket(pointer) }
    }

    let wire: Wire
    /// The names of the statements that are prepared on this connection.
    private var prepared: [ObjectIdentifier: String] = [:]
    private var isClosed = false

    private init(_ wire: Wire) { self.wire = wire }

    deinit {
        if !isClosed { PQfinish(wire.pointer) }
    }

    /// True outside of transactions, messages and pipelines: another caller may use the connection.
    var isIdle: Bool {
        !isClosed && PQstatus(wire.pointer) == CONNECTION_OK && PQpipelineStatus(wire.pointer) == PQ_PIPELINE_OFF
            && PQtransactionStatus(wire.pointer) == PQTRANS_IDLE
    }

    /// Sends a termination message and closes the socket.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        Poller.shared.forget(wire.descriptor)
        PQfinish(wire.pointer)
    }

    // MARK: Opening

    /// Opens a connection.
    /// - Parameter conninfo: a libpq connection string or URL, passed to libpq unchanged; `PG…` variables apply.
    /// - Throws: ``PostgresError`` `.invalidConninfo`, `.unavailable`, or `.timedOut` at the deadline.
    package static func open(
        _ conninfo: String, until deadline: ContinuousClock.Instant
    ) async throws -> Connection {
        if let objection = Conninfo.objection(to: conninfo) {
            throw PostgresError(.invalidConninfo, "the connection string \(objection)")
        }
        var faults: [PostgresError] = []
        let hosts = OpeningParameters.perHost(conninfo)
        for (number, host) in hosts.enumerated() where faults.isEmpty || .now < deadline {
            do {
                let limit = number == hosts.count - 1 ? deadline : min(deadline, .now + host.patience)
                return try await open(host, until: limit)
            } catch let error as PostgresError {
                faults.append(error)
            }
        }
        guard faults.count > 1 else { throw faults[0] }
        let isSilence = faults.allSatisfy { $0.code == .timedOut }
        throw PostgresError(
            isSilence ? .timedOut : .unavailable, faults.map(\.message).joined(separator: "; "))
    }

    /// Runs `body` with a new connection, which is closed afterwards.
    static func withNew<Result: Sendable>(
        _ conninfo: String, until deadline: ContinuousClock.Instant, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        let connection = try await open(conninfo, until: deadline)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    private static func open(
        _ parameters: OpeningParameters, until deadline: ContinuousClock.Instant
    ) async throws -> Connection {
        let connection = Connection(try await start(parameters))
        do {
            try await connection.finishOpening(until: deadline)
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    /// Begins to connect. libpq resolves the host name here and blocks, so this runs on a thread of its own: the
    /// threads of the global queues are the few that also run tasks.
    private static func start(_ parameters: OpeningParameters) async throws(PostgresError) -> Wire {
        let wire: Wire? = await withCheckedContinuation { continuation in
            DispatchQueue(label: "handles.connect").async {
                continuation.resume(returning: parameters.start().map(Wire.init))
            }
        }
        guard let wire else { throw PostgresError(.unavailable, "no memory for a connection") }
        clibpq_silence_notices(wire.pointer)
        return wire
    }

    private func finishOpening(until deadline: ContinuousClock.Instant) async throws {
        guard PQstatus(wire.pointer) != CONNECTION_BAD else { throw unavailable }
        // As libpq's manual says: start as if the last poll had returned "writing". The descriptor may change between
        // polls.
        var next = PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            switch next {
            case PGRES_POLLING_READING:
                try await Poller.shared.wait(for: .readable, on: wire.descriptor, until: deadline)
            case PGRES_POLLING_WRITING:
                try await Poller.shared.wait(for: .writable, on: wire.descriptor, until: deadline)
            default:
                throw unavailable
            }
            next = PQconnectPoll(wire.pointer)
        }
        guard PQsetnonblocking(wire.pointer, 1) == 0 else { throw unavailable }
    }

    // MARK: Running

    /// Runs a statement, preparing it on first use, and reads its rows.
    ///
    /// After a timeout or a cancellation the connection is in the middle of a message and can't be used any more.
    /// - Throws: ``PostgresError``; `CancellationError`.
    package func run<S: Statement>(_ statement: S, until deadline: ContinuousClock.Instant) async throws -> [S.Row] {
        try await prepare(S.self, until: deadline)
        try enqueue(statement)
        var rows: [S.Row] = []
        try await receive(until: deadline) { result throws(PostgresError) in
            rows = try Self.rows(of: result, S.self)
        }
        return rows
    }

    /// Runs a script of statements without parameters and ignores their results.
    package func run(script: String, until deadline: ContinuousClock.Instant) async throws {
        guard PQsendQuery(wire.pointer, script) == 1 else { throw lost }
        try await receive(until: deadline) { _ in }
    }

    /// Runs statements one after the other in a single round trip, and reads the rows of each.
    ///
    /// The server stops at the first fault and skips the rest. Without a transaction the server may commit each
    /// statement separately or all together: begin with ``Begin`` when that matters.
    /// - Parameters:
    ///   - before: statements run first; their rows are ignored.
    /// - Throws: the first fault, once the connection is idle again; otherwise like ``run(_:until:)``.
    package func run<each S: Statement>(
        before: [any Statement] = [], pipeline statements: repeat each S,
        until deadline: ContinuousClock.Instant
    ) async throws -> sending (repeat [(each S).Row]) {
        for statement in before { try await prepare(type(of: statement), until: deadline) }
        for statement in repeat each statements { try await prepare(type(of: statement), until: deadline) }
        guard PQenterPipelineMode(wire.pointer) == 1 else { throw lost }
        for statement in before { try enqueue(statement) }
        for statement in repeat each statements { try enqueue(statement) }
        guard PQpipelineSync(wire.pointer) == 1 else { throw lost }
        try await flush(until: deadline)
        var fault: PostgresError?
        for _ in before { try await finishStatement(&fault, until: deadline) { _ in } }
        let rows = (repeat try await rows(of: (each S).self, &fault, until: deadline))
        try await endPipeline(until: deadline)
        if let fault { throw fault }
        return rows
    }

    /// Passes a prepared statement to libpq.
    private func enqueue(_ statement: some Statement) throws {
        guard let name = prepared[ObjectIdentifier(type(of: statement))] else { throw lost }
        var parameters = Parameters()
        statement.bind(to: &parameters)
        let sent = parameters.withArrays { values, lengths, formats in
            PQsendQueryPrepared(wire.pointer, name, Int32(values.count), values, lengths, formats, 1)
        }
        guard sent == 1 else { throw lost }
    }

    /// Reads the rows of the next statement of a pipeline; none when there is a fault.
    private func rows<S: Statement>(
        of _: S.Type, _ fault: inout PostgresError?, until deadline: ContinuousClock.Instant
    ) async throws -> [S.Row] {
        var rows: [S.Row] = []
        try await finishStatement(&fault, until: deadline) { result throws(PostgresError) in
            rows = try Self.rows(of: result, S.self)
        }
        return rows
    }

    /// Reads the results of the next statement, and the nil that ends them.
    private func finishStatement(
        _ fault: inout PostgresError?, until deadline: ContinuousClock.Instant,
        take: (OpaquePointer) throws(PostgresError) -> Void
    ) async throws {
        while let result = try await nextResult(until: deadline) {
            defer { PQclear(result) }
            do throws(PostgresError) {
                switch PQresultStatus(result) {
                case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: try take(result)
                // Skipped because of an earlier fault of the pipeline.
                case PGRES_PIPELINE_ABORTED: break
                default: throw failure(of: result)
                }
            } catch {
                fault = fault ?? error
            }
        }
    }

    /// Reads the end of a pipeline and exits pipeline mode.
    private func endPipeline(until deadline: ContinuousClock.Instant) async throws {
        guard let result = try await nextResult(until: deadline) else { throw lost }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_PIPELINE_SYNC, PQexitPipelineMode(wire.pointer) == 1 else { throw lost }
    }

    private static func rows<S: Statement>(of result: OpaquePointer, _: S.Type) throws(PostgresError) -> [S.Row] {
        try (0..<PQntuples(result)).map { row throws(PostgresError) in
            var reader = RowReader(result: result, row: row)
            return try S.decode(&reader)
        }
    }

    /// Prepares a type of statement, once on each connection.
    private func prepare(_ statement: any Statement.Type, until deadline: ContinuousClock.Instant) async throws {
        guard prepared[ObjectIdentifier(statement)] == nil else { return }
        let name = statement.name
        // Another type may have the same text.
        if !prepared.values.contains(name) {
            guard PQsendPrepare(wire.pointer, name, statement.sql, 0, nil) == 1 else { throw lost }
            try await receive(until: deadline) { _ in }
        }
        prepared[ObjectIdentifier(statement)] = name
    }

    /// Sends pending data and reads every result until libpq has no more, as it requires.
    /// - Throws: the first fault, once the connection is idle again.
    func receive(
        until deadline: ContinuousClock.Instant, each take: (OpaquePointer) throws(PostgresError) -> Void
    ) async throws {
        try await flush(until: deadline)
        var fault: PostgresError?
        try await finishStatement(&fault, until: deadline, take: take)
        if let fault { throw fault }
    }

    /// The next result, or nil at the end of the results.
    func nextResult(until deadline: ContinuousClock.Instant) async throws -> OpaquePointer? {
        while PQisBusy(wire.pointer) == 1 {
            try await Poller.shared.wait(for: .readable, on: wire.descriptor, until: deadline)
            guard PQconsumeInput(wire.pointer) == 1 else { throw lost }
        }
        return PQgetResult(wire.pointer)
    }

    func flush(until deadline: ContinuousClock.Instant) async throws {
        while true {
            switch PQflush(wire.pointer) {
            case 0: return
            case 1:
                // The server may block on sending a result and stop reading, so this must read too.
                try await Poller.shared.wait(for: .either, on: wire.descriptor, until: deadline)
                guard PQconsumeInput(wire.pointer) == 1 else { throw lost }
            default: throw lost
            }
        }
    }
}
