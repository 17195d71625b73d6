import HandleRules
import HandleWords
import Postgres

/// Writes a batch of changes in one transaction. A single change is a batch of one.
///
/// The first round trip locks the rows that the changes touch, in one order: owners, then look-alike keys, each sorted.
/// So writers don't deadlock: a transaction that adds names with new keys does so when it has all its locks, and in the
/// order of the keys too. The changes plan in memory. The second round trip writes the result and commits.
struct Writer<C: Change> {
    /// A request with an idempotency key, for a batch of one.
    struct Once: Sendable {
        let request: IdempotentRequest
        let answer: @Sendable (C.Outcome) -> Answer
    }

    private let writes: WriteSide
    private let pool: Pool
    private let once: Once?
    private var scope: Scope
    private var batch: ChangeBatch<C>
    /// Outcomes that need a synchronous commit before they are reported, and the record that shows them.
    private var unconfirmed: (indices: [Int], handle: Handle, version: Int64)?
    /// The outcomes of an attempt without a reply to its COMMIT, and a record that it made.
    private var unacknowledged: (outcomes: ChangeBatch<C>.Outcomes, made: Record)?
    private(set) var reply: Reply?

    /// Changes that touch the same handle can't be in one batch.
    init(_ changes: [C], once: Once? = nil, _ writes: WriteSide, _ pool: Pool) async throws {
        (self.writes, self.pool) = (writes, pool)
        self.once = once
        batch = ChangeBatch(changes)
        scope = try await writes.scope()
    }

    /// A call fails if rows changed during this many attempts.
    private static var maxAttempts: Int { 8 }

    /// - Parameters:
    ///   - waitingShortly: true to end with an error (`PostgresError.isOfContention`) after a short lock wait, or when a
    ///     record has changed.
    ///   - isLong: true for the time limit of bulk work.
    ///   - deadline: end of all attempts together.
    /// - Returns: the outcomes in the order of the changes. With ``reply`` there may be none.
    mutating func run(
        waitingShortly: Bool, isLong: Bool, until deadline: ContinuousClock.Instant
    ) async throws -> [C.Outcome] {
        do {
            return try await runAttempts(waitingShortly: waitingShortly, isLong: isLong, until: deadline)
        } catch let error as PostgresError {
            writes.health.note(error)
            throw error
        }
    }

    private mutating func runAttempts(
        waitingShortly: Bool, isLong: Bool, until deadline: ContinuousClock.Instant
    ) async throws -> [C.Outcome] {
        var isShort = waitingShortly
        for _ in 0..<Self.maxAttempts {
            do {
                try await pool.transaction(
                    beginningWith: (isShort ? [LockTimeout.short] : []) + (isLong ? [LongStatements()] : []),
                    until: deadline
                ) { try await attempt(&$0) }
                if once == nil { try await confirm() }
                if reply != nil || batch.pending.isEmpty { return batch.settled }
            } catch let error as PostgresError where error.isOfChangedWords {
                try await writes.refreshWords()
                scope = try await writes.scope()
            } catch let error as PostgresError where error.isOfChangedName {
                if waitingShortly { throw error }
            } catch let error as PostgresError where error.isLockTimeout && unacknowledged != nil {
                // The row lock may be that of our own COMMIT, still under way.
                guard isShort else { throw Self.unknown }
                isShort = false
            }
        }
        throw Self.tooBusy
    }

    /// One attempt, repeated if some of the changes are refused: the locks must leave no trace of these.
    private mutating func attempt(_ transaction: inout Transaction) async throws {
        // The changes to lock, and those that were refused and may depend on them. The rows of the latter are read.
        var (locked, refused) = (batch.pending, Set<Int>())
        while !locked.isEmpty {
            if let once {
                reply = try await once.request.begin(batch.changes[0].number, &transaction)
                if reply != nil { return }
            }
            let part = (locked + refused).sorted()
            let records = try await transaction.lookUp(batch.lookedUp(part, scope))
            // After an attempt without a reply, a record may be as that attempt left it.
            if unacknowledged == nil { batch.refuse(&locked, records, scope) }
            if locked.isEmpty { break }
            let touches = batch.rowsToLock(for: locked, records, scope)
            var rows = try await transaction.lock(touches, in: scope)
            if try await hasCommitted(&transaction) { return }
            if !refused.isEmpty {
                rows.include(try await transaction.read(batch.touches(of: refused, records, scope), in: scope))
            }
            let plans = batch.plan((locked + refused).sorted(), in: &rows)
            let isStillRefused = !plans.made.contains { refused.contains($0.index) }
            guard plans.more.isEmpty, isStillRefused else { break }
            let leavesTrace = !touches.owners.isEmpty && plans.idle.contains { !refused.contains($0.index) }
            if !plans.made.isEmpty, !leavesTrace { return try await commit(rows, plans, &transaction) }
            try await transaction.rollBack()
            let certain = settleIdle(plans, records)
            refused = Set(plans.idle.map(\.index)).subtracting(certain)
            locked = plans.made.map(\.index)
        }
        try await transaction.rollBack()
    }

    /// True if an earlier attempt without a reply to its COMMIT was committed. It is not repeated even if others have
    /// changed the handles since: that would undo their changes.
    ///
    /// On one server that attempt is over if it had locks, because they are free. If it added the first name of a key
    /// without an owner, or in a distributed database, it may still be under way. Then the writes of this attempt fail, and
    /// the next attempt asks again.
    private mutating func hasCommitted(_ transaction: inout Transaction) async throws -> Bool {
        guard let (outcomes, made) = unacknowledged else { return false }
        guard let version = try await transaction.version(withMade: made, scope) else { return false }
        try await transaction.rollBack()
        batch.settle(outcomes)
        unconfirmed = (outcomes.map(\.index), made.handle, version)
        return true
    }

    /// Settles the changes that are refused or change nothing, unless they touch rows of a change that is made.
    /// - Returns: their indices.
    private mutating func settleIdle(_ plans: ChangeBatch<C>.Plans, _ records: [Handle: Record]) -> Set<Int> {
        let made =
            plans.made.isEmpty ? Touches() : batch.rowsToLock(for: plans.made.map(\.index), records, scope)
        let keys = Set(made.handles.map { LookalikeKey($0) })
        let certain = plans.idle.filter { index, _ in
            let touches = batch.touches(of: [index], records, scope)
            return touches.owners.keys.allSatisfy { made.owners[$0] == nil }
                && !touches.handles.contains { keys.contains(LookalikeKey($0)) }
        }
        batch.settle(certain)
        return Set(certain.map(\.index))
    }

    private mutating func commit(
        _ rows: LockedRows, _ plans: ChangeBatch<C>.Plans, _ transaction: inout Transaction
    ) async throws {
        transaction.writeLast(rows)
        if !plans.confirmed.isEmpty {
            transaction.runLast(ConfirmAll(handles: plans.confirmed.map(\.handle)))
        }
        if plans.made.contains(where: { batch.changes[$0.index].goesByWords }), let wordChanges = scope.wordChanges {
            transaction.runLast(ConfirmWords(version: wordChanges))
        }
        let before = unacknowledged
        unacknowledged = rows.writes.first.map { (plans.made + plans.idle, $0.name.record) }
        do {
            if let once, let outcome = plans.made.first?.outcome {
                reply = try await once.request.finish(once.answer(outcome), &transaction)
            } else {
                try await transaction.commit()
            }
        } catch let error as PostgresError where error.code == .refused {
            // The server has replied: nothing is committed, but what an earlier attempt may have.
            unacknowledged = before
            throw error
        }
        unacknowledged = nil
        writes.health.noteSuccess()
        writes.hints.insert(rows.writes.lazy.map(\.name.record).filter { !$0.isFree }.map(\.handle))
        batch.settle(plans.made + plans.idle)
    }

    /// Writes the record of a commit without a reply once more, unchanged, so that a synchronous commit follows what was
    /// read: a failover can't undo it. If the record has another version by now, its changes are planned again.
    private mutating func confirm() async throws {
        guard let (indices, handle, version) = unconfirmed else { return }
        if try await pool.run(Confirm(handle: handle, version: version)).isEmpty { batch.reopen(indices) }
        unconfirmed = nil
    }

    private static var unknown: PostgresError {
        PostgresError(.connectionLost, "the connection was lost before the answer to COMMIT")
    }

    private static var tooBusy: PostgresError {
        PostgresError(.overloaded, "the name changed during each of \(maxAttempts) attempts; try again")
    }
}
