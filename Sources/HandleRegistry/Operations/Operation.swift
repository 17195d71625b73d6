package import HandleCore
package import Postgres

/// A change of the registry as a value, so that it can be tried again after a fault.
///
/// An operation is safe to repeat. It has one change number for all attempts: by it an attempt recognises the commit of
/// an earlier one, or by the history if the handle has changed since. Rows are locked in one order, so that operations
/// don't deadlock: owners, look-alike keys, handles, each sorted.
package protocol Operation<Outcome>: Sendable {
    associatedtype Outcome: Sendable
    /// The outcome, if it is certain without a query.
    func outcomeAtOnce(_ words: ReservedWords) -> Outcome?
    func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<Outcome>
    /// True if reserved words decide about it. It is then committed only if they are the same as at the decision.
    var goesByWords: Bool { get }
    /// Performs the operation: alone in a transaction, unless the operation has another way.
    func performed(by registry: Registry) async throws -> Outcome
}

extension Operation {
    package func performed(by registry: Registry) async throws -> Outcome { try await registry.performAlone(self) }

    package func outcomeAtOnce(_ words: ReservedWords) -> Outcome? { nil }

    package var goesByWords: Bool { true }
}

/// The result of an attempt, and the end of its transaction.
package enum Attempt<Outcome: Sendable>: Sendable {
    /// The record has changed: commit. `made` is a version of a record made by this attempt, by which a later attempt
    /// can tell whether it was committed. Nil for an operation that uses only its change number for this.
    case commit(Outcome, made: Record?)
    /// The change was made before and led to this version of the record. Roll this attempt back and rewrite the record
    /// unchanged, so that the answer is as durable as the first one.
    case confirm(Outcome, Handle, version: Int64)
    /// The change is refused: roll this attempt back.
    case refuse(Outcome)
    /// Something has changed since it was read: roll this attempt back, and try again.
    case again
}

/// The inputs of an operation besides its transaction.
package struct Scope: Sendable {
    let words: ReservedWords
    /// The version of the reserved words when they were read; nil if unknown.
    let wordChanges: Int64?
    let policy: Policy
    let salt: [UInt8]

    func mark(of owner: Owner) -> OwnerMark { OwnerMark(of: owner, salt: salt) }

    /// Adds to the round trip of the commit a statement that fails if the reserved words have changed meanwhile.
    func confirmWords(of operation: some Operation, _ transaction: inout Transaction) {
        guard operation.goesByWords, let wordChanges else { return }
        transaction.runLast(ConfirmWords(version: wordChanges))
    }
}

extension Registry {
    /// A call fails if the handle changed during this many attempts.
    private static let maxAttempts = 8

    /// Performs an operation.
    /// - Throws: `PostgresError`. It is then unknown whether the change was made; repeating is safe.
    package func perform<O: Operation>(_ operation: O) async throws -> O.Outcome {
        if let outcome = operation.outcomeAtOnce(words) { return outcome }
        return try await operation.performed(by: self)
    }

    /// The outcome of an attempt whose COMMIT got no reply.
    private typealias Unheard<Outcome> = (outcome: Outcome, made: Record)

    /// Performs an operation in its own transaction.
    /// - Parameters:
    ///   - waitingShortly: true for a short lock wait, which ends with `PostgresError.isLockTimeout`.
    ///   - isLong: true for the time limit of bulk work, for an operation on many handles.
    ///   - deadline: end of all attempts together; nil for the time limit of a call.
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
                // The row lock may be that of our own COMMIT, still under way.
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
            // The attempt may have read the record without a lock, while the first COMMIT was under way.
            if let unheard { _ = try await transaction.run(LockName(handle: unheard.made.handle)) }
            let confirmation = try await confirmation(of: &unheard, scope, &transaction)
            try await transaction.rollBack()
            return confirmation ?? attempt
        }
        // If this attempt made the same version again, the first one was not committed. Otherwise the first may have
        // been committed and followed by changes of others, which repeating would undo. The check comes after the
        // record is locked, because the first COMMIT may have been under way until then.
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

    /// Rolls this attempt back and confirms an earlier commit that got no reply; nil if there was none.
    private func confirmation<Outcome>(
        of unheard: inout Unheard<Outcome>?, _ scope: Scope, _ transaction: inout Transaction
    ) async throws -> Attempt<Outcome>? {
        guard let (outcome, made) = unheard else { return nil }
        guard try await !transaction.run(FindMade(made, scope)).isEmpty else { return nil }
        try await transaction.rollBack()
        let version = try await transaction.run(FindMade(made, scope)).first
        try await transaction.rollBack()
        if let version { return .confirm(outcome, made.handle, version: version) }
        // This attempt had made the version itself, so the first one was not committed.
        unheard = nil
        return .again
    }

    /// Performs an operation, and stores its answer for repeats of the request.
    ///
    /// The answer is stored in the commit of the operation. A replay is a write of its own, so that it waits for a
    /// synchronous commit and never reports a change that a failover could lose.
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
                // Nothing has changed, so only the answer has to be stored.
                return try await keep(answer(outcome), of: request, change)
            case .commit, .again, nil: break
            }
        }
        throw Self.tooBusy
    }

    /// Performs work that takes several transactions and is safe to repeat, and stores its answer for repeats of the
    /// request. Concurrent repeats do the work too.
    package func perform(
        once request: IdempotentRequest, answer: Answer, _ work: () async throws -> Void
    ) async throws -> Reply {
        let change = newChange()
        // The content may contain the id of the forgotten owner.
        let request = request.salted(try await scope().salt)
        let known = try await pool.transaction { transaction in
            let reply = try await request.begin(change, &transaction)
            // The key is taken together with the answer. If this process ends before that, the request can be repeated.
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
