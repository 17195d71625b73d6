import HandleRules

/// Puts handles back to what they were before a change that is still their last one. The two handles of a rename are put
/// back together.
///
/// Limits of owners, reserved words and look-alikes don't count: the handles were theirs before.
struct Revert: Change {
    struct Step: Sendable {
        /// The record to put back, as it was read.
        let record: Record
        /// The state to put back.
        let past: PastState
    }

    let steps: [Step]
    let cause: Cause
    let number: Int64
    var goesByWords: Bool { false }

    /// The number of the change that reverts a change. It follows from that change, so that a repeated undo recognises what
    /// it has done before.
    static func number(of change: Int64) -> Int64 { change &+ 1 }

    func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        for step in steps {
            touches.add(step.record.handle)
            touches.addKeeper(of: step.record, scope)
            if let mark = step.past.owner { touches.add(mark) }
        }
    }

    /// The outcomes by handle.
    func plan(in rows: inout LockedRows) -> Plan<[Handle: ChangeOutcome]> {
        let records = steps.map { rows.record($0.record.handle) }
        if let record = records.first ?? nil, record.change == number {
            return .confirm(outcomes { $0.change == number ? .done($0) : .refused($0.whyNotReverted) }(rows), record)
        }
        var after = rows
        for (step, record) in zip(steps, records) {
            guard let record, record.version == step.record.version,
                after.putBack(record, to: step.past, HistoryNote(.reverted, cause, number))
            else { return .refuse(outcomes { .refused($0.whyNotReverted) }(rows)) }
        }
        rows = after
        return .commit(outcomes { .done($0) }(rows))
    }

    /// The outcome of each handle, by its record.
    private func outcomes(_ outcome: @escaping (Record) -> ChangeOutcome) -> (LockedRows) -> [Handle: ChangeOutcome] {
        { rows in
            let handles = steps.map(\.record.handle)
            return Dictionary(
                uniqueKeysWithValues: handles.map { ($0, rows.record($0).map(outcome) ?? .refused(.notReserved(nil))) })
        }
    }
}

extension LockedRows {
    /// Writes what a handle was before. The accounts of its owners then and now must be locked.
    /// - Returns: false if the id of its owner then is not stored any more; nothing has changed then.
    fileprivate mutating func putBack(_ record: Record, to past: PastState, _ note: HistoryNote) -> Bool {
        guard !past.hasEnded(at: now), let display = past.display else {
            guard takeAway(record) else { return false }
            free(record, note)
            return true
        }
        let isKept = past.state == .quarantined
        let owner = isKept ? nil : past.owner.flatMap { account($0).id }
        guard isKept || past.owner == nil || owner != nil, takeAway(record) else { return false }
        if let mark = past.owner {
            var account = account(mark)
            if past.state == .claimed { account.claimed += 1 }
            if isKept, let end = past.until { account.noteQuarantine(record.handle, until: end) }
            set(account)
        }
        // Look-alikes may have come while the handle was free.
        let isAllowed = record.isFree && !past.isProtected && !known(record.handle).lookalikes.isEmpty
        write(
            display, past.state, owner: owner, former: isKept ? past.owner : nil, reason: past.reason,
            until: past.until,
            isAllowed: isAllowed, isProtected: past.isProtected, note)
        return true
    }
}

extension Record {
    /// The refusal to revert a change that is not the current one, or can't be reverted.
    var whyNotReverted: Refusal {
        if isFree { return .notReserved(nil) }
        return state == .reserved ? .notReserved(self) : .changed(self)
    }
}
