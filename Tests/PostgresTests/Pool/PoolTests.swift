import Postgres
import TestSupport
import Testing

private struct Backend: Statement {
    static let sql = "SELECT pg_backend_pid()"
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

struct BriefSleep: Statement {
    static let sql = "SELECT pg_backend_pid(), pg_sleep(0.02)"
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

private struct Change: Statement {
    static let sql = "CREATE SEQUENCE a_change"
    func bind(to parameters: inout Parameters) {}
    typealias Row = NoRow
}

private struct Terminate: Statement {
    let backend: Int64
    static let sql = "SELECT pg_terminate_backend($1::bigint::int)"
    func bind(to parameters: inout Parameters) { parameters.add(backend) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.boolean() }
}

private func code(_ body: () async throws -> Void) async -> PostgresError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? PostgresError)?.code
    }
}

@Suite struct PoolTests {
    private func pool(
        size: Int, maxWaiters: Int = 1000, timeout: Duration = .seconds(60), retryDelay: Duration? = nil,
        on conninfo: String? = nil
    ) async throws -> Pool {
        let database = try await TestCluster.shared.emptyDatabase()
        var configuration = Pool.Configuration(
            conninfo: conninfo ?? database, statementTimeout: .seconds(600),
            // Without this a sleeping server process would not notice that its client has disconnected.
            sessionScript: "SET client_connection_check_interval = 500")
        configuration.size = size
        configuration.maxWaiters = maxWaiters
        configuration.timeout = timeout
        if let retryDelay {
            (configuration.firstRetryDelay, configuration.longestRetryDelay) = (retryDelay, retryDelay)
        }
        return Pool(configuration)
    }

    /// Waits until the only connection is in use and `count` callers wait for it.
    private func untilWaiting(_ count: Int, _ pool: Pool) async throws {
        try await eventually("\(count) callers wait for the only connection") {
            let metrics = pool.metrics
            return metrics.connections == 1 && metrics.idle == 0 && metrics.waiting == count
        }
    }

    @Test func poolOpensNoMoreConnectionsThanItsSize() async throws {
        let pool = try await pool(size: 4)
        let backends = Set(try await race(200) { _ in try await pool.run(BriefSleep()).first })
        #expect((1...4).contains(backends.count))
        #expect(!backends.contains(nil))
        await pool.close()
    }

    @Test func idleConnectionIsReused() async throws {
        let pool = try await pool(size: 4)
        let first = try await pool.run(Backend())
        for _ in 0..<10 { #expect(try await pool.run(Backend()) == first) }
        await pool.close()
    }

    @Test func callersBeyondTheWaiterLimitAreRefused() async throws {
        let pool = try await pool(size: 1, maxWaiters: 2)
        let codes = try await withThrowingTaskGroup(of: PostgresError.Code?.self) { group in
            var codes: [PostgresError.Code?] = []
            // While the only connection is in use, two of twenty may wait.
            try await pool.withConnection(until: .now + .seconds(60)) { _ in
                for _ in 0..<20 { group.addTask { await code { _ = try await pool.run(Backend()) } } }
                while codes.count < 18, let code = try await group.next() { codes.append(code) }
            }
            return try await group.reduce(into: codes) { $0.append($1) }
        }
        #expect(codes == Array(repeating: .overloaded, count: 18) + [nil, nil])
        await pool.close()
    }

    @Test func callsTimeOutAfterTheTimeoutOfThePool() async throws {
        let pool = try await pool(size: 1, timeout: .milliseconds(300), retryDelay: .zero)
        // On a busy machine the first connection may take longer than the timeout of a call.
        let later = ContinuousClock.now + .seconds(60)
        try await pool.withConnection(until: later) { _ in }
        let start = ContinuousClock.now
        let codes = try await race(4) { _ in await code { _ = try await pool.run(Sleep()) } }
        #expect(codes.allSatisfy { $0 == .timedOut })
        #expect(ContinuousClock.now - start < .seconds(200))
        // The connections that timed out in the middle of a message are not reused.
        let rows = try await pool.withConnection(until: later) { try await $0.run(Plain(), until: later) }
        #expect(rows == ["plain"])
        await pool.close()
    }

    @Test func turnsOfCancelledCallersPassToOthers() async throws {
        let pool = try await pool(size: 2)
        for _ in 0..<20 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { _ = try? await pool.run(BriefSleep()) } }
                await Task.yield()
                group.cancelAll()
            }
        }
        for _ in 0..<10 { #expect(try await pool.run(Plain()) == ["plain"]) }
        await pool.close()
    }

    /// A place in the pool becomes free at the moment at which the first waiter is cancelled: the next waiter gets it.
    @Test(.timeLimit(.minutes(5))) func freePlacePassesToTheNextWaiterWhenTheFirstIsCancelled() async throws {
        let pool = try await pool(size: 1)
        for round in 0..<40 {
            let answer = try await withThrowingTaskGroup(of: [String].self) { group in
                // A caller cancelled in the middle of its query leaves no connection, but a free place in the pool.
                let holder = Task { try await pool.run(Sleep()) }
                try await untilWaiting(0, pool)
                let first = Task { try await pool.run(Plain()) }
                try await untilWaiting(1, pool)
                group.addTask { try await pool.run(Plain()) }
                try await untilWaiting(2, pool)
                holder.cancel()
                for _ in 0..<(round % 20) { await Task.yield() }
                first.cancel()
                return try await group.next() ?? []
            }
            #expect(answer == ["plain"])
        }
        await pool.close()
    }

    @Test func poolRecoversAfterTheServerHasClosedItsConnections() async throws {
        let pool = try await pool(size: 3)
        let admin = try await self.pool(size: 1)
        for _ in 0..<5 {
            let backends = Set(try await race(6) { _ in try await pool.run(BriefSleep()).first })
            for case let backend? in backends { _ = try await admin.run(Terminate(backend: backend)) }
            #expect(try await pool.run(Plain()) == ["plain"])
        }
        await pool.close()
        await admin.close()
    }

    /// While the server is unreachable, one caller at a time tries to connect and the others fail at once.
    @Test func unreachableServerIsNotTriedBeforeTheRetryDelayEnds() async throws {
        let listener = try ClosingListener()
        let pool = try await pool(
            size: 10, retryDelay: .seconds(600), on: "host=127.0.0.1 port=\(listener.port) dbname=x sslmode=disable")
        for _ in 0..<500 { #expect(await code { _ = try await pool.run(Plain()) } == .unavailable) }
        #expect(listener.acceptedCount == 1)
        await pool.close()
    }

    @Test func unreachableServerIsTriedAgainAfterTheRetryDelay() async throws {
        let listener = try ClosingListener()
        let pool = try await pool(
            size: 10, retryDelay: .milliseconds(1), on: "host=127.0.0.1 port=\(listener.port) dbname=x sslmode=disable")
        while listener.acceptedCount < 5 { #expect(await code { _ = try await pool.run(Plain()) } == .unavailable) }
        await pool.close()
    }

    /// A role or a pooler may allow fewer connections than the size of the pool.
    @Test(.timeLimit(.minutes(5)), arguments: [1, 2])
    func callersShareTheConnectionsThatTheServerAllows(_ limit: Int) async throws {
        let server = try await LimitedServer(connections: limit)
        for _ in 0..<10 {
            // At first the pool has no connections.
            let pool = Pool(server.configuration)
            let backends = Set(try await race(12) { _ in try await pool.run(BriefSleep()).first })
            #expect(!backends.contains(nil) && backends.count <= limit)
            await pool.close()
            // All but the connection of this query.
            let others = "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()"
            try await eventually("the server has closed the connections") {
                try await number(others, on: server.database) == 0
            }
        }
    }

    /// The only connection stays in use, so nothing but time makes room for the caller that waits.
    @Test(.timeLimit(.minutes(5))) func waiterGetsAConnectionOnceTheServerAllowsOne() async throws {
        let server = try await LimitedServer(connections: 1)
        let pool = Pool(server.configuration)
        try await pool.withConnection(until: .now + .seconds(60)) { _ in
            async let plain = pool.run(Plain())
            try await untilWaiting(1, pool)
            try await server.allow(connections: 2)
            #expect(try await plain == ["plain"])
        }
        await pool.close()
    }

    /// Waiters fail as soon as the last connection is lost and none can be opened.
    @Test(.timeLimit(.minutes(5))) func waitersFailWhenTheServerIsGone() async throws {
        let database = try await TestCluster.shared.emptyDatabase()
        let proxy = try ChaosProxy(to: database)
        let pool = try await pool(
            size: 1, timeout: .seconds(600), retryDelay: .seconds(600), on: proxy.conninfo(database))
        let codes = try await withThrowingTaskGroup(of: PostgresError.Code?.self) { group in
            group.addTask { await code { _ = try await pool.run(Sleep()) } }
            try await untilWaiting(0, pool)
            for count in 1...5 {
                group.addTask { await code { _ = try await pool.run(Plain()) } }
                try await untilWaiting(count, pool)
            }
            proxy.set(.cut)
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count == 6 && codes.allSatisfy { $0 == .unavailable || $0 == .connectionLost })
        await pool.close()
    }

    /// A host without power does not answer at all; the pool connects to the other host of the connection string.
    @Test func silentHostIsSkippedForTheNextOne() async throws {
        let silent = try ClosingListener(isSilent: true)
        let conninfo = try await TestCluster.shared.emptyDatabase()
            .replacing("host='", with: "host='127.0.0.1,")
            .replacing("port=5432", with: "port=\(silent.port),5432")
        #expect(conninfo.contains("127.0.0.1,") && conninfo.contains(",5432"))
        let pool = patientPool(conninfo)
        #expect(try await pool.run(Plain()) == ["plain"])
        await pool.close()
        // With no other host the call times out.
        var configuration = Pool.Configuration(conninfo: "host=127.0.0.1,127.0.0.1 port=\(silent.port)")
        configuration.timeout = .seconds(4)
        let unreachable = Pool(configuration)
        #expect(await code { _ = try await unreachable.run(Plain()) } == .timedOut)
        await unreachable.close()
    }

    /// A standby must not be used for ever in place of the primary: a connection that refuses writes is closed.
    @Test func readOnlyConnectionIsDropped() async throws {
        let pool = patientPool(try await TestCluster.shared.emptyDatabase()) {
            $0.sessionScript = "SET default_transaction_read_only = on"
        }
        let backend = try await pool.run(Backend())
        #expect(await code { _ = try await pool.run(Change()) } == .refused)
        #expect(try await pool.run(Backend()) != backend)
        await pool.close()
    }

    @Test func closedPoolRefusesCallers() async throws {
        let pool = try await pool(size: 1)
        _ = try await pool.run(Plain())
        await pool.close()
        #expect(await code { _ = try await pool.run(Plain()) } == .closed)
    }
}
