import HandleCore

/// Reserves a handle. It is then refused to every owner, except the owner that the reservation is for.
struct Reserve: Change {
    let name: NameToReserve
    /// True if the handle may look like a protected one.
    let allowsLookalike: Bool
    let actor: String
    let number: Int64
    /// Reserved words may be reserved.
    var goesByWords: Bool { false }

    func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        touches.add(name.handle)
        if let owner = name.reservation.owner { touches.addPromised(owner, scope) }
    }

    func plan(in rows: inout LockedRows) -> Plan<Reserved> {
        let (handle, reservation) = (name.handle, name.reservation)
        let record = rows.record(handle)
        var entry = rows.entry(of: handle)
        let others = entry.others(than: handle)
        if let record, record.isReserved, record.change == number {
            return .confirm(Reserved(.done(record), lookalikes: others), record)
        }
        switch name.obstacle(record, entry, rows.scope.policy, allowingLookalike: allowsLookalike) {
        case nil: break
        case .already(let record): return .confirm(Reserved(.already(record)), record)
        case let obstacle?: return .refuse(Reserved(obstacle))
        }
        let original = entry.original(of: handle, under: nil)
        entry.protect(handle, until: reservation.until)
        rows.set(entry)
        let reserved = rows.write(
            name.display, .reserved, owner: reservation.owner, reason: reservation.reason, until: reservation.until,
            HistoryNote(.reserved, Cause(by: Actor(actor, .admin)), number, related: original))
        return .commit(Reserved(.done(reserved), lookalikes: others))
    }
}

extension NameToReserve {
    /// The outcome without a change, because the handle is reserved already or refused; nil if it can be reserved.
    /// - Parameters:
    ///   - record: the record of the handle, if any.
    ///   - entry: the row of its look-alike key, if any.
    ///   - allowsLookalike: true if the handle may look like a protected one.
    func obstacle(
        _ record: Record?, _ entry: LookalikeEntry?, _ policy: Policy, allowingLookalike allowsLookalike: Bool
    ) -> ChangeOutcome? {
        if let record, record.isReserved { return .already(record) }
        let known = KnownName(record: record, lookalike: allowsLookalike ? nil : entry)
        let decision = Decision.decide(Reading(display), word: nil, known, to: .reserve, policy)
        return decision.isAvailable ? nil : .refused(.decision(decision))
    }
}
