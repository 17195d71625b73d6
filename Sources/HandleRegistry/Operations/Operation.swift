package import HandleCore
package import Postgres

/// A change of the registry as a value, so that it can be tried again when the database is in the way.
///
/// An operation is safe to repeat: its change number is made with it, and by it a second attempt recognises what the
/// first has done, and by the history when somebody has changed the name since. Rows are locked in one order, owners,
/// look-alike keys, names, each sorted, so that no two operations wait for each other.
package protocol Operation: Sendable {
    associatedtype Outcome: Sendable
    /// How it ends without a look at the database, when that is certain.
    func outcomeAtOnce(_ words: ReservedWords) -> Outcome?
    func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<Outcome>
    /// Whether reserved words decide about it: then it is committed only if they are still those that it was decided by.
    var goesByWords: Bool { get }
    /// Does it, alone in its transaction unless the operation knows better.
    func performed(by registry: Registry) async throws -> Outcome
}

extension Operation {
    package func performed(by registry: Registry) async throws -> Outcome { try await registry.performAlone(self) }

    package func outcomeAtOnce(_ words: ReservedWords) -> Outcome? { nil }

    package var goesByWords: Bool { true }
}

/// How an attempt ended, and what is to become of its transaction.
package enum Attempt<Outcome: Sendable>: Sendable {
    /// The name has changed: commit. `made` is a version of a name that it makes, by which it is known later whether
    /// it was committed; nil for an operation that goes by its change number alone.
    case commit(Outcome, made: Record?)
    /// It had been done before, and led to this version of the name: undo this attempt, and write the name as it is, so
    /// that the answer is as durable as the first one.
    case confirm(Outcome, Handle, version: Int64)
    /// It can't be done: undo this attempt.
    case refuse(Outcome)
    /// Something has changed in between: undo this attempt, and try again.
    case again
}

/// What an operation works with besides its transaction.
package struct Scope: Sendable {
    let words: ReservedWords
    /// How often words had been changed when they were read; nil when that is not known.
    let wordChanges: Int64?
    let policy: Policy
    let salt: [UInt8]

    func mark(of owner: Owner) -> OwnerMark { OwnerMark(of: owner, salt: salt) }

    /// Leaves for the round trip of the commit what undoes it when other words are in force by then.
    func confirmWords(of operation: some Operation, _ transaction: inout Transaction) {
        guard operation.goesByWords, let wordChanges else { return }
        transaction.runLast(ConfirmWords(version: wordChanges))
    }
}

extension Registry {
    /// A name that changes more often than this within one call is not to be had.
    private static let maxAttempts = 8

    /// Does an operation.
    /// - Throws: `PostgresError`; then it is not known whether it has been done, and to repeat it is safe.
    package func perform<O: Operation>(_ operation: O) async throws -> O.Outcome {
        if let outcome = operation.outcomeAtOnce(words) { return outcome }
        return try await operation.performed(by: self)
    }

    /// What an attempt was to commit that has not heard whether it did.
    private typealias Unheard<Outcome> = (outcome: Outcome, made: Record)

    /// Does an operation in a transaction of its own.
    /// - Parameters:
    ///   - waitingShortly: whether to give up soon when somebody has a row locked (`PostgresError.isLockTimeout`).
    ///   - isLong: whether it may take longer than any call, as one of many names does.
    ///   - deadline: when all attempts together must have ended; nil for as late as any call may.
    func performAlone<O: Operation>(
        _ operation: O, waitingShortly: Bool = false, isLong: Bool = false,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws -> O.Outcome {
        let deadline = deadline ?? .now + (isLong ? LongStatements.longest : pool.configuration.timeout)
        var scope = try await scope()
        var isShort = waitingShortly
        var unheard: Unheard<O.Outcome>?
        for _ in 0..<Self.maxAttempts {
            let attempt: Attempt<O.Outcome>
            do {
                attempt = try await pool.transaction(
                    beginningWith: (isShort ? [ShortLockWait()] : []) + (isLong ? [LongStatements()] : []),
                    until: deadline
                ) { [scope] in try await attemptOnce(operation, scope, &unheard, &$0) }
            } catch let error as PostgresError where error.isOfChangedWords {
                unheard = nil
                scope = try await scopeOfNewWords()
                continue
            } catch let error as PostgresError where error.isLockTimeout && unheard != nil {
                // It may be our own commit that has the row locked, and is still under way.
                guard isShort else { throw Self.unknown }
                isShort = false
                continue
            }
            switch attempt {
            case .commit(let outcome, _), .refuse(let outcome): return outcome
            case .confirm(let outcome, let handle, let version):
                if try await !pool.run(Confirm(handle: handle, version: version)).isEmpty { return outcome }
            case .again: break
            }
        }
        throw Self.tooBusy
    }

    private func attemptOnce<O: Operation>(
        _ operation: O, _ scope: Scope, _ unheard: inout Unheard<O.Outcome>?, _ transaction: inout Transaction
    ) async throws -> Attempt<O.Outcome> {
        let attempt = try await operation.attempt(in: scope, &transaction)
        guard case .commit(let outcome, let made) = attempt else {
            try await transaction.rollBack()
            // The attempt may have looked at the name without a lock while the first commit was under way.
            if let unheard { _ = try await transaction.run(LockName(handle: unheard.made.handle)) }
            let confirmation = try await confirmation(of: &unheard, scope, &transaction)
            try await transaction.rollBack()
            return confirmation ?? attempt
        }
        // To make the same version once more shows that the first was not committed. Otherwise others may have changed
        // the name since, and to do it again would undo what is theirs. It is looked for when the name is locked: the
        // first commit may have been under way until then.
        if made?.version != unheard?.made.version || made?.handle != unheard?.made.handle,
            let confirmation = try await confirmation(of: &unheard, scope, &transaction)
        {
            return confirmation
        }
        unheard = made.map { (outcome, $0) }
        scope.confirmWords(of: operation, &transaction)
        try await transaction.commit()
        return attempt
    }

    /// Confirms what was committed unheard, and undoes the present attempt; nil when there is no such thing.
    private func confirmation<Outcome>(
        of unheard: inout Unheard<Outcome>?, _ scope: Scope, _ transaction: inout Transaction
    ) async throws -> Attempt<Outcome>? {
        guard let (outcome, made) = unheard else { return nil }
        guard try await !transaction.run(FindMade(made, scope)).isEmpty else { return nil }
        try await transaction.rollBack()
        let version = try await transaction.run(FindMade(made, scope)).first
        try await transaction.rollBack()
        if let version { return .confirm(outcome, made.handle, version: version) }
        // The present attempt had made that version itself, so the first has not.
        unheard = nil
        return .again
    }

    /// Does an operation, and keeps its answer for those who ask the same again.
    ///
    /// The answer is stored in the commit of the operation. A replay is a write of its own, so that it never says what
    /// the next server to take over might not know.
    package func perform<O: Operation>(
        _ operation: O, once request: IdempotentRequest, answer: @Sendable (O.Outcome) -> Answer
    ) async throws -> Reply {
        if let outcome = operation.outcomeAtOnce(words) { return .answer(answer(outcome)) }
        let deadline = ContinuousClock.now + pool.configuration.timeout
        var scope = try await scope()
        let change = newChange()
        for _ in 0..<Self.maxAttempts {
            let attempt: Attempt<O.Outcome>?
            let reply: Reply?
            do {
                (attempt, reply) = try await pool.transaction(until: deadline) { [scope] transaction in
                    if let reply = try await request.begin(change, &transaction) { return (nil, reply) }
                    let attempt = try await operation.attempt(in: scope, &transaction)
                    guard case .commit(let outcome, _) = attempt else {
                        try await transaction.rollBack()
                        return (attempt, nil)
                    }
                    scope.confirmWords(of: operation, &transaction)
                    return (nil, try await request.finish(answer(outcome), &transaction))
                }
            } catch let error as PostgresError where error.isOfChangedWords {
                scope = try await scopeOfNewWords()
                continue
            }
            if let reply { return reply }
            switch attempt {
            case .confirm(let outcome, _, _), .refuse(let outcome):
                // Nothing has changed, so the answer is all there is to store.
                return try await keep(answer(outcome), of: request, change)
            case .commit, .again, nil: break
            }
        }
        throw Self.tooBusy
    }

    /// Does what takes several transactions and is safe to repeat, and keeps its answer for those who ask the same
    /// again. Whoever asks the same meanwhile does the same.
    package func perform(
        once request: IdempotentRequest, answer: Answer, _ work: () async throws -> Void
    ) async throws -> Reply {
        let change = newChange()
        // It may say who was forgotten.
        let request = request.salted(try await scope().salt)
        let known = try await pool.transaction { transaction in
            let reply = try await request.begin(change, &transaction)
            // The key is taken with the answer: should this process end before, the request must be possible again.
            if reply == nil { try await transaction.rollBack() }
            return reply
        }
        if let known { return known }
        try await work()
        return try await keep(answer, of: request, change)
    }

    private func scopeOfNewWords() async throws -> Scope {
        try await refreshWords()
        return try await scope()
    }

    private func keep(_ answer: Answer, of request: IdempotentRequest, _ change: Int64) async throws -> Reply {
        try await pool.transaction { transaction in
            if let reply = try await request.begin(change, &transaction) { return reply }
            return try await request.finish(answer, &transaction)
        }
    }

    private static var unknown: PostgresError {
        PostgresError(.connectionLost, "the connection was lost before the answer to COMMIT")
    }

    private static var tooBusy: PostgresError {
        PostgresError(.overloaded, "the name changed during each of \(Self.maxAttempts) attempts; try again")
    }
}
