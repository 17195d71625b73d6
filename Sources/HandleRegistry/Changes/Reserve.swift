import HandleRules

/// Reserves a handle. It is then refused to every owner, except the owner that the reservation is for.
///
/// A protected look-alike is an obstacle, unless it is kept for the same owner, or for the operator as well.
struct Reserve: Change {
    let name: NameToReserve
    /// True if the handle may look like a protected one.
    let allowsLookalike: Bool
    let actor: String
    let number: Int64
    /// Reserved words may be reserved.
    var goesByWords: Bool { false }

    func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        touches.addWanted(name.handle)
        if let owner = name.reservation.owner { touches.addPromised(owner, scope) }
    }

    func plan(in rows: inout LockedRows) -> Plan<Reserved> {
        let (handle, reservation) = (name.handle, name.reservation)
        let record = rows.record(handle)
        let known = rows.known(handle)
        var entry = rows.entry(of: handle)
        let shared = name.shared(known, rows.scope)
        // In a reservation that is planned again, the handle protects itself already, before those reserved since.
        let later = entry.protectors.drop { $0 != handle }
        let others = entry.others(than: handle).filter { !shared.contains($0) && !later.contains($0) }
        if let record, record.isReserved, record.change == number {
            return .confirm(Reserved(.done(record), original: shared.first, lookalikes: others), record)
        }
        switch name.obstacle(record, known, rows.scope, allowingLookalike: allowsLookalike) {
        case nil: break
        case .already(let record): return .confirm(Reserved(.already(record)), record)
        case let obstacle?: return .refuse(Reserved(obstacle))
        }
        let original = entry.protecting
        entry.protect(handle, until: reservation.until)
        rows.set(entry)
        let reserved = rows.write(
            name.display, .reserved, owner: reservation.owner, reason: reservation.reason, until: reservation.until,
            HistoryNote(.reserved, Cause(by: Cause.Actor(actor, .admin)), number, related: original))
        return .commit(Reserved(.done(reserved), original: shared.first, lookalikes: others))
    }
}

extension NameToReserve {
    /// The outcome without a change, because the handle is reserved already or refused; nil if it can be reserved.
    /// - Parameters:
    ///   - record: the record of the handle, if any.
    ///   - known: the same with the row of its look-alike key, if any.
    ///   - allowsLookalike: true if the handle may look like a protected one.
    func obstacle(
        _ record: Record?, _ known: KnownName, _ scope: Scope, allowingLookalike allowsLookalike: Bool
    ) -> ChangeOutcome? {
        if let record, record.isReserved { return .already(record) }
        var known = known
        if allowsLookalike { known.lookalike = nil }
        let decision = Decision.decide(
            Reading(display), word: nil, known, for: caller(known, scope), to: .reserve, scope.policy)
        return decision.isAvailable ? nil : .refused(.decision(decision))
    }

    /// The protected look-alikes that are kept for the same owner, or for the operator as well. If the handle is
    /// protected itself, only those before it.
    fileprivate func shared(_ known: KnownName, _ scope: Scope) -> [Handle] {
        guard let entry = known.lookalike, !known.kept.isEmpty else { return [] }
        let caller = caller(known, scope)
        return entry.protectors.prefix { $0 != handle }
            .filter { known.kept[$0].map { caller.shares($0, to: .reserve) } ?? false }
    }

    /// The owner's mark is computed only where it may be that of a look-alike's former owner.
    private func caller(_ known: KnownName, _ scope: Scope) -> Decision.Caller {
        let owner = reservation.owner
        return Decision.Caller(owner: owner, mark: known.kept.isEmpty ? nil : owner.map(scope.mark))
    }
}
