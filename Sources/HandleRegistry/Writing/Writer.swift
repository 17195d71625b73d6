import HandleCore
import Postgres

/// Writes a batch of changes in one transaction. A single change is a batch of one.
///
/// The first round trip locks all rows that the changes touch, in one order: owners, then look-alike keys, each sorted.
/// So writers don't deadlock. The changes then plan in memory. The second round trip writes the result and commits.
struct Writer<C: Change> {
    /// A request with an idempotency key, for a batch of one.
    struct Once: Sendable {
        let request: IdempotentRequest
        let answer: @Sendable (C.Outcome) -> Answer
    }

    private typealias Outcomes = [(index: Int, outcome: C.Outcome)]

    private enum Step { case finished, again }

    private let registry: Registry
    private let once: Once?
    private var scope: Scope
    /// The changes without an outcome so far.
    private var pending: [(index: Int, change: C)]
    private var outcomes: [C.Outcome?]
    /// Rows to lock besides those that the changes name at first.
    private var more = Touches()
    /// The outcomes of an attempt without a reply to its COMMIT, and a record that it made.
    private var unheard: (outcomes: Outcomes, made: Record)?
    private(set) var reply: Reply?

    /// Changes that touch the same handle can't be in one batch.
    init(_ changes: [C], once: Once? = nil, _ registry: Registry) async throws {
        self.registry = registry
        self.once = once
        scope = try await registry.scope()
        pending = changes.enumerated().map { ($0, $1) }
        outcomes = [C.Outcome?](repeating: nil, count: changes.count)
    }

    /// A call fails if rows changed during this many attempts.
    private static var maxAttempts: Int { 8 }

    /// - Parameters:
    ///   - waitingShortly: true for a short lock wait, which ends with `PostgresError.isLockTimeout`.
    ///   - isLong: true for the time limit of bulk work.
    ///   - deadline: end of all attempts together.
    /// - Returns: the outcomes in the order of the changes; none if ``reply`` is set.
    mutating func run(
        waitingShortly: Bool, isLong: Bool, until deadline: ContinuousClock.Instant
    ) async throws -> [C.Outcome] {
        var isShort = waitingShortly
        for _ in 0..<Self.maxAttempts {
            do {
                let step = try await registry.pool.transaction(
                    beginningWith: (isShort ? [ShortLockWait()] : []) + (isLong ? [LongStatements()] : []),
                    until: deadline
                ) { try await attempt(&$0) }
                if step == .finished { return outcomes.compactMap(\.self) }
            } catch let error as PostgresError where error.isOfChangedName {
                // Try again.
            } catch let error as PostgresError where error.isOfChangedWords {
                try await registry.refreshWords()
                scope = try await registry.scope()
            } catch let error as PostgresError where error.isLockTimeout && unheard != nil {
                // The row lock may be that of our own COMMIT, still under way.
                guard isShort else { throw Self.unknown }
                isShort = false
            }
        }
        throw Self.tooBusy
    }

    /// One attempt, and another one for each time that refused changes are taken out of the batch.
    private mutating func attempt(_ transaction: inout Transaction) async throws -> Step {
        while true {
            if let once {
                reply = try await once.request.begin(pending.first?.change.number ?? 0, &transaction)
                if reply != nil { return .finished }
            }
            let touches = try await touches(&transaction)
            var rows = try await transaction.lock(touches, in: scope)
            if try await hasCommitted(rows, &transaction) { return .finished }
            let (made, refused, more) = plan(in: &rows)
            if let more {
                self.more.formUnion(more)
                try await transaction.rollBack()
                return .again
            }
            if made.isEmpty || (!refused.isEmpty && touches.areWritten) {
                // The locks have written rows of claims that are refused: none of them may stay.
                try await transaction.rollBack()
                settle(refused)
                if made.isEmpty { return .finished }
                continue
            }
            try await commit(rows, made, refused, &transaction)
            settle(made + refused)
            return .finished
        }
    }

    private func touches(_ transaction: inout Transaction) async throws -> Touches {
        let lookedUp = pending.compactMap(\.change.lookedUp)
        var records: [Handle: Record] = [:]
        if let handle = lookedUp.first, lookedUp.count == 1 {
            records = try await transaction.run(Lookup(handle: handle)).byHandle
        } else if !lookedUp.isEmpty {
            records = try await transaction.run(LookupMany(handles: lookedUp.sorted())).byHandle
        }
        var touches = more
        for (_, change) in pending { touches.formUnion(change.touches(change.lookedUp.flatMap { records[$0] }, scope)) }
        return touches
    }

    /// True if an earlier attempt without a reply to its COMMIT was committed. A second commit makes its outcomes
    /// durable before they are returned.
    ///
    /// That attempt is over, because its locks are free. It is not repeated even if others have changed the handles
    /// since: that would undo their changes.
    private mutating func hasCommitted(_ rows: LockedRows, _ transaction: inout Transaction) async throws -> Bool {
        guard let (outcomes, made) = unheard else { return false }
        guard try await !transaction.run(FindMade(made, scope)).isEmpty else {
            unheard = nil
            return false
        }
        transaction.writeLast(rows)
        try await transaction.commit()
        settle(outcomes)
        return true
    }

    private func plan(in rows: inout LockedRows) -> (made: Outcomes, refused: Outcomes, more: Touches?) {
        var (made, refused): (Outcomes, Outcomes) = ([], [])
        var more: Touches?
        for (index, change) in pending {
            switch change.plan(in: &rows) {
            case .commit(let outcome): made.append((index, outcome))
            case .refuse(let outcome): refused.append((index, outcome))
            case .lock(let touches):
                more = more ?? Touches()
                more?.formUnion(touches)
            }
        }
        return (made, refused, more)
    }

    private mutating func commit(
        _ rows: LockedRows, _ made: Outcomes, _ refused: Outcomes, _ transaction: inout Transaction
    ) async throws {
        transaction.writeLast(rows)
        if pending.contains(where: \.change.goesByWords), let wordChanges = scope.wordChanges {
            transaction.runLast(ConfirmWords(version: wordChanges))
        }
        unheard = rows.writes.first.map { (made + refused, $0.record) }
        do {
            if let once, let outcome = made.first?.outcome {
                reply = try await once.request.finish(once.answer(outcome), &transaction)
            } else {
                try await transaction.commit()
            }
        } catch let error as PostgresError where error.code == .refused {
            // The server has replied: nothing is committed.
            unheard = nil
            throw error
        }
    }

    /// Sets outcomes, and takes their changes off the batch.
    private mutating func settle(_ settled: Outcomes) {
        for (index, outcome) in settled { outcomes[index] = outcome }
        pending.removeAll { outcomes[$0.index] != nil }
    }

    private static var unknown: PostgresError {
        PostgresError(.connectionLost, "the connection was lost before the answer to COMMIT")
    }

    private static var tooBusy: PostgresError {
        PostgresError(.overloaded, "the name changed during each of \(maxAttempts) attempts; try again")
    }
}
