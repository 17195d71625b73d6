import HandleCore
import Postgres

/// Writes a batch of changes in one transaction. A single change is a batch of one.
///
/// The first round trip locks the rows that the changes touch, in one order: owners, then look-alike keys, each sorted.
/// So writers don't deadlock. The changes then plan in memory. The second round trip writes the result and commits.
struct Writer<C: Change> {
    /// A request with an idempotency key, for a batch of one.
    struct Once: Sendable {
        let request: IdempotentRequest
        let answer: @Sendable (C.Outcome) -> Answer
    }

    private typealias Outcomes = [(index: Int, outcome: C.Outcome)]

    /// Outcomes that need a synchronous commit before they are reported, and the record that shows them.
    private typealias Unconfirmed = (indices: [Int], handle: Handle, version: Int64)

    private struct Plans {
        /// The outcomes that can be committed.
        var made: Outcomes = []
        var confirms: [Confirm] = []
        /// The outcomes of changes that the locks must leave no trace of.
        var idle: Outcomes = []
        var unconfirmed: [Unconfirmed] = []
        /// Handles to lock as well. Not empty if the locks do not fit.
        var more: [Handle?] = []
    }

    private let registry: Registry
    private let once: Once?
    private var scope: Scope
    private let changes: [C]
    private var outcomes: [C.Outcome?]
    /// The indices of the changes that are to be planned.
    private var pending: [Int]
    private var unconfirmed: [Unconfirmed] = []
    /// Handles to lock besides those that the changes name at first.
    private var more: Set<Handle> = []
    /// The outcomes of an attempt without a reply to its COMMIT, and a record that it made.
    private var unheard: (outcomes: Outcomes, made: Record)?
    private(set) var reply: Reply?

    /// Changes that touch the same handle can't be in one batch.
    init(_ changes: [C], once: Once? = nil, _ registry: Registry) async throws {
        self.registry = registry
        self.once = once
        self.changes = changes
        scope = try await registry.scope()
        pending = Array(changes.indices)
        outcomes = [C.Outcome?](repeating: nil, count: changes.count)
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
        var isShort = waitingShortly
        for _ in 0..<Self.maxAttempts {
            do {
                try await registry.pool.transaction(
                    beginningWith: (isShort ? [ShortLockWait()] : []) + (isLong ? [LongStatements()] : []),
                    until: deadline
                ) { try await attempt(&$0) }
                if once == nil { try await confirm(until: deadline) }
                if pending.isEmpty { return outcomes.compactMap(\.self) }
            } catch let error as PostgresError where error.isOfChangedWords {
                try await registry.refreshWords()
                scope = try await registry.scope()
            } catch let error as PostgresError where error.isOfChangedName {
                if waitingShortly { throw error }
            } catch let error as PostgresError where error.isLockTimeout && unheard != nil {
                // The row lock may be that of our own COMMIT, still under way.
                guard isShort else { throw Self.unknown }
                isShort = false
            }
        }
        throw Self.tooBusy
    }

    /// One attempt, repeated for the rest of the batch once changes that can't be committed are taken out of it.
    private mutating func attempt(_ transaction: inout Transaction) async throws {
        while !pending.isEmpty {
            if let once {
                reply = try await once.request.begin(changes[0].number, &transaction)
                if reply != nil { return pending = [] }
            }
            let touches = try await lookUp(&transaction)
            if pending.isEmpty { break }
            var rows = try await transaction.lock(touches, in: scope)
            if try await hasCommitted(&transaction) { return }
            let plans = plan(in: &rows)
            if !plans.more.isEmpty {
                more.formUnion(plans.more.compactMap(\.self))
                break
            }
            // The locks have written the rows of owners. Nothing of that may stay for changes that are not committed.
            let commits = !plans.made.isEmpty && (plans.idle.isEmpty || touches.owners.isEmpty)
            if commits { try await commit(rows, plans, &transaction) } else { try await transaction.rollBack() }
            settle(plans.idle)
            unconfirmed += plans.unconfirmed
            if commits { return settle(plans.made) }
        }
        try await transaction.rollBack()
    }

    /// Looks up the records that some changes need before the locks, and settles those that are refused.
    /// - Returns: the rows to lock for the others.
    private mutating func lookUp(_ transaction: inout Transaction) async throws -> Touches {
        let lookedUp = pending.map { changes[$0].lookedUp(scope) }
        let handles = Set(lookedUp.compactMap(\.self)).sorted()
        var records: [Handle: Record] = [:]
        if let handle = handles.first, handles.count == 1 {
            records = try await transaction.run(Lookup(handle: handle)).byHandle
        } else if !handles.isEmpty {
            records = try await transaction.run(LookupMany(handles: handles)).byHandle
        }
        var touches = Touches()
        for handle in more { touches.add(handle) }
        var refused: Outcomes = []
        for (index, handle) in zip(pending, lookedUp) {
            let record = handle.flatMap { records[$0] }
            // After an attempt without a reply, the record may be as that attempt left it.
            if handle != nil, unheard == nil, let outcome = changes[index].refusal(record, scope) {
                refused.append((index, outcome))
            } else {
                changes[index].add(to: &touches, record, scope)
            }
        }
        settle(refused)
        return touches
    }

    /// True if an earlier attempt without a reply to its COMMIT was committed. It is not repeated even if others have
    /// changed the handles since: that would undo their changes.
    ///
    /// On one server that attempt is over, because its locks are free. On Citus it may still be under way on another
    /// node; then the writes of this attempt fail, or the changes find their own number in the record.
    private mutating func hasCommitted(_ transaction: inout Transaction) async throws -> Bool {
        guard let (outcomes, made) = unheard else { return false }
        guard let version = try await transaction.run(FindMade(made, scope)).first else {
            unheard = nil
            return false
        }
        try await transaction.rollBack()
        settle(outcomes)
        unconfirmed.append((outcomes.map(\.index), made.handle, version))
        return true
    }

    private func plan(in rows: inout LockedRows) -> Plans {
        var plans = Plans()
        for index in pending {
            switch changes[index].plan(in: &rows) {
            case .commit(let outcome): plans.made.append((index, outcome))
            case .refuse(let outcome): plans.idle.append((index, outcome))
            case .confirm(let outcome, let record):
                plans.made.append((index, outcome))
                plans.confirms.append(Confirm(handle: record.handle, version: record.version))
            case .confirmAlone(let outcome, let record):
                plans.idle.append((index, outcome))
                plans.unconfirmed.append(([index], record.handle, record.version))
            case .lock(let handle): plans.more.append(handle)
            }
        }
        return plans
    }

    private mutating func commit(
        _ rows: LockedRows, _ plans: Plans, _ transaction: inout Transaction
    ) async throws {
        transaction.writeLast(rows)
        for confirm in plans.confirms { transaction.runLast(confirm) }
        if pending.contains(where: { changes[$0].goesByWords }), let wordChanges = scope.wordChanges {
            transaction.runLast(ConfirmWords(version: wordChanges))
        }
        unheard = rows.writes.first.map { (plans.made + plans.idle, $0.record) }
        do {
            if let once, let outcome = plans.made.first?.outcome {
                reply = try await once.request.finish(once.answer(outcome), &transaction)
            } else {
                try await transaction.commit()
            }
            unheard = nil
        } catch let error as PostgresError where error.code == .refused {
            // The server has replied: nothing is committed.
            unheard = nil
            throw error
        }
    }

    /// Writes records once more, unchanged, so that a synchronous commit follows what was read: a failover can't undo
    /// it. The changes of a record with another version by now are planned again.
    private mutating func confirm(until deadline: ContinuousClock.Instant) async throws {
        unconfirmed.sort { $0.handle < $1.handle }
        while let first = unconfirmed.first {
            let confirms = unconfirmed.map { Confirm(handle: $0.handle, version: $0.version) }
            let isConfirmed =
                if confirms.count == 1 {
                    try await !registry.pool.run(confirms[0]).isEmpty
                } else {
                    try await registry.pool.transaction(until: deadline) { transaction in
                        guard try await !transaction.run(confirms[0]).isEmpty else {
                            try await transaction.rollBack()
                            return false
                        }
                        for confirm in confirms.dropFirst() { transaction.runLast(confirm) }
                        try await transaction.commit()
                        return true
                    }
                }
            if isConfirmed { return unconfirmed = [] }
            unconfirmed.removeFirst()
            for index in first.indices { outcomes[index] = nil }
            pending += first.indices
        }
    }

    private mutating func settle(_ settled: Outcomes) {
        if settled.isEmpty { return }
        for (index, outcome) in settled { outcomes[index] = outcome }
        pending.removeAll { outcomes[$0] != nil }
    }

    private static var unknown: PostgresError {
        PostgresError(.connectionLost, "the connection was lost before the answer to COMMIT")
    }

    private static var tooBusy: PostgresError {
        PostgresError(.overloaded, "the name changed during each of \(maxAttempts) attempts; try again")
    }
}
