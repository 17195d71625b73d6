import HandleCore

// The ways in which an owner loses a handle.

extension LockedRows {
    /// Frees a handle.
    /// - Parameter step: without an owner.
    @discardableResult
    mutating func free(_ record: Record, _ step: Step) -> Record {
        noteFree(record.handle)
        return write(record.display, .free, step)
    }

    /// Puts a claimed handle into quarantine for its former owner, or frees it if the policy has no quarantine.
    @discardableResult
    mutating func quarantine(_ record: Record, for mark: OwnerMark, _ step: Step) -> Record {
        guard scope.policy.quarantine > .zero else {
            return free(record, Step(step.action, step.cause, step.number))
        }
        let end = now(after: scope.policy.quarantine)
        noteInUse(record.handle, until: end)
        return write(
            record.display, .quarantined, former: mark, until: end,
            Step(step.action, step.cause, step.number, of: mark, related: step.related))
    }

    /// Frees a handle, if it is still in quarantine for its former owner.
    mutating func endQuarantine(of handle: Handle, _ mark: OwnerMark, _ step: Step) {
        guard let record = record(handle), record.state == .quarantined, record.former == mark, !record.isFree else {
            return
        }
        free(record, step)
    }
}
