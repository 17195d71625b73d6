import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry
@testable import Postgres

@Suite(.timeLimit(.minutes(5))) struct LookupQueueTests {
    /// A queue over one connection, which is busy until `body` calls `letGo`.
    private func withBusyDatabase(
        limits: CoalescerLimits = LookupQueue.limits(connections: 1),
        _ body: (_ queue: LookupQueue, _ registry: Registry, _ letGo: @escaping @Sendable () -> Void) async throws ->
            Void
    ) async throws {
        let registry = try await freshRegistry()
        let pool = patientPool(registry.database) { $0.size = 1 }
        // With patience, look-ups that wait while the machine stalls would get another query.
        var limits = limits
        limits.patience = nil
        let queue = LookupQueue(ReadSide(primary: pool, replica: nil), limits: limits)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (busy, isBusy) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                try await pool.withConnection(until: .now + .seconds(60)) { _ in
                    isBusy.finish()
                    for await _ in gate {}
                }
            }
            for await _ in busy {}
            try await body(queue, registry) { opening.finish() }
            opening.finish()
            try await group.waitForAll()
        }
        await pool.close()
    }

    @Test func waitingLookupsShareAQueryAndEachGetsItsOwnResult() async throws {
        try await withBusyDatabase { queue, registry, letGo in
            for number in 0..<50 { _ = try await registry.claim("jane_\(number * 2)", for: owner("o\(number)")) }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let handle = try handle("jane_\(number)")
                        let known = try await queue.lookUp([handle]).known(about: handle)
                        return try known.name?.owner == (number % 2 == 0 ? owner("o\(number / 2)") : nil)
                    }
                }
                // The first few lookups may already be in a query when the others arrive.
                while queue.metrics.waitingWeight + queue.metrics.weight < 100 { await Task.yield() }
                letGo()
                for try await isRight in group { #expect(isRight) }
            }
            #expect(queue.metrics.callers == 100)
            // One at once, two more for 40 that wait, and the rest.
            #expect(queue.metrics.batches <= 4)
        }
    }

    @Test func halfOfALargePoolIsLeftForOtherStatements() {
        #expect([1, 6, 10, 16, 100].map { LookupQueue.limits(connections: $0).batches } == [3, 3, 5, 8, 8])
    }

    @Test func cancelledLookupThrowsAtOnceAndIsNotQueried() async throws {
        try await withBusyDatabase { queue, _, letGo in
            let first = Task { try await queue.lookUp([handle("first")]) }
            while queue.metrics.batches == 0 { await Task.yield() }
            let leaver = Task { try await queue.lookUp([handle("leaver")]) }
            while queue.metrics.waitingWeight == 0 { await Task.yield() }
            let last = Task { try await queue.lookUp([handle("last")]) }
            while queue.metrics.waitingWeight < 2 { await Task.yield() }
            leaver.cancel()
            // The connection is still busy, so the error does not come from the query.
            await #expect(throws: CancellationError.self) { try await leaver.value }
            // A lookup is cancelled at once even while its query is running.
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            letGo()
            _ = try await last.value
            #expect(queue.metrics.weight == 2)
        }
    }

    @Test func lookupBeyondTheLimitOfWaitingNamesIsRefused() async throws {
        var limits = LookupQueue.limits(connections: 1)
        limits.waitingWeight = 10
        try await withBusyDatabase(limits: limits) { queue, _, letGo in
            let names = try (0..<8).map { try handle("jane_\($0)") }
            async let first = queue.lookUp(names)
            while queue.metrics.batches == 0 { await Task.yield() }
            async let second = queue.lookUp(names)
            while queue.metrics.waitingWeight == 0 { await Task.yield() }
            let error = await #expect(throws: PostgresError.self) { try await queue.lookUp(names) }
            #expect(error?.code == .overloaded)
            #expect(queue.metrics.refused == 1)
            letGo()
            _ = try await (first, second)
        }
    }

    @Test func failedQueryFailsEachOfItsLookupsOnce() async throws {
        try await withBusyDatabase { queue, registry, letGo in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do {
                            _ = try await queue.lookUp([handle("jane_\(number)"), handle("other_\(number)")])
                            return false
                        } catch is PostgresError { return true }
                    }
                }
                while queue.metrics.waitingWeight + queue.metrics.weight < 40 { await Task.yield() }
                try await registry.execute("ALTER TABLE names RENAME TO elsewhere")
                letGo()
                for try await failed in group { #expect(failed) }
            }
            try await registry.execute("ALTER TABLE elsewhere RENAME TO names")
            _ = try await queue.lookUp([handle("again")])
        }
    }

    /// A check is based on data read after it began: it never says "available" after an acknowledged claim.
    @Test func checkIsRightWhileNamesChange() async throws {
        let registry = try await freshRegistry { $0.quarantine = .zero }
        let names = (0..<8).map { "jane_\($0)" }
        try await race(names.count) { number in
            let name = names[number]
            for round in 0..<40 {
                _ = try await registry.claim(name, for: owner("o\(number)"))
                let claimed = try await registry.availability(of: name)
                #expect(!claimed.decision.isAvailable, "\(name), round \(round)")
                let many = try await registry.decisions(about: names + ["olga_\(round)"])
                #expect(!many[number].isAvailable && many[names.count].isAvailable)
                try await registry.release(handle(name))
                let released = try await registry.availability(of: name).decision.isAvailable
                #expect(released)
            }
        }
    }
}
