import HandleRules

extension Registry {
    /// The answer to a question, with the question's position.
    package struct CheckAnswer: Sendable {
        package let position: Int
        package let result: Result<Availability, any Error>
    }

    /// Answers questions that arrived together, of unknown callers. They share look-ups, so together they take less work
    /// than one by one.
    /// - Parameter answered: gets each answer once. It is called with answers that are known at the same time, from
    ///   several tasks and in any order.
    package func availability(
        of questions: [NameQuestion], answered: @escaping @Sendable ([CheckAnswer]) -> Void
    ) async {
        var (checks, failures): ([PendingCheck], [CheckAnswer]) = ([], [])
        checks.reserveCapacity(questions.count)
        for (position, question) in questions.enumerated() {
            do {
                checks.append(PendingCheck(position: position, check: try AvailabilityCheck(question, in: self)))
            } catch {
                failures.append(CheckAnswer(position: position, result: .failure(error)))
            }
        }
        if !failures.isEmpty { answered(failures) }
        await proceed(with: checks, answered)
    }

    /// Looks up what the checks need next. A look-up begins as soon as it has enough handles.
    private func proceed(
        with checks: [PendingCheck], _ answered: @escaping @Sendable ([CheckAnswer]) -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            var batch = CheckBatch()
            for var pending in checks {
                let handles = pending.check.next()
                // It needs nothing of the database, and must not wait or fail with others.
                if handles.isEmpty {
                    group.addTask { [pending] in await answer(CheckBatch(checks: [pending]), answered) }
                    continue
                }
                if !batch.checks.isEmpty, batch.handles.count + handles.count > LookupQueue.batchWeight {
                    group.addTask { [batch] in await answer(batch, answered) }
                    batch = CheckBatch()
                }
                batch.checks.append(pending)
                batch.handles += handles
            }
            if !batch.checks.isEmpty { await answer(batch, answered) }
        }
    }

    private func answer(_ batch: CheckBatch, _ answered: @escaping @Sendable ([CheckAnswer]) -> Void) async {
        let found: LookupResult
        do {
            found = try await lookups.lookUp(batch.handles, for: batch.checks.count)
        } catch {
            return answered(batch.checks.map { CheckAnswer(position: $0.position, result: .failure(error)) })
        }
        var (answers, unfinished): ([CheckAnswer], [PendingCheck]) = ([], [])
        for var pending in batch.checks {
            do {
                try pending.check.take(found, in: self)
                if pending.check.isComplete {
                    answers.append(
                        CheckAnswer(position: pending.position, result: .success(pending.check.availability)))
                } else {
                    unfinished.append(pending)
                }
            } catch {
                answers.append(CheckAnswer(position: pending.position, result: .failure(error)))
            }
        }
        if !answers.isEmpty { answered(answers) }
        if !unfinished.isEmpty { await proceed(with: unfinished, answered) }
    }
}

/// A check that has no answer yet, with the position of its question.
private struct PendingCheck: Sendable {
    let position: Int
    var check: AvailabilityCheck
}

/// Checks with the handles that they look up together.
private struct CheckBatch: Sendable {
    var checks: [PendingCheck] = []
    var handles: [Handle] = []
}

extension AvailabilityCheck {
    /// Takes the result of a look-up, for an unknown caller.
    fileprivate mutating func take(_ result: LookupResult, in registry: Registry) throws {
        if isDecided { return take(result) }
        try decide(result, for: .anyone, in: registry)
    }
}
