package import HandleRules

/// Reserves a handle. It is then refused to every owner, except the owner that the reservation is for.
///
/// A protected look-alike is an obstacle, unless it is kept for the same owner, or for the operator as well.
package struct Reserve: Change {
    let name: NameToReserve
    /// True if the handle may look like a protected one.
    let allowsLookalike: Bool
    /// True to take the handle from its owner.
    var takes = false
    let actor: String
    package let number: Int64
    /// Reserved words may be reserved.
    package var goesByWords: Bool { false }

    package func lookedUp(_ scope: Scope) -> Handle? { takes ? name.handle : nil }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        touches.add(name.handle)
        if takes { touches.addKeeper(of: record, scope) }
        if let owner = name.reservation.owner { touches.addPromised(owner, scope) }
    }

    package func plan(in rows: inout LockedRows) -> Plan<Reserved> {
        let (handle, reservation) = (name.handle, name.reservation)
        let (record, known) = (rows.record(handle), rows.known(handle))
        let before = known.protectorsBefore.map(\.handle)
        let shared = name.shared(known, rows.scope)
        // In a reservation that is planned again, the handle protects itself already, before those reserved since.
        let later = known.protectors.map(\.handle).filter { !before.contains($0) }
        let others = known.others.map(\.handle).filter { !shared.contains($0) && !later.contains($0) }
        if let record, record.isReserved, record.change == number {
            return .confirm(Reserved(.done(record), original: shared.first, lookalikes: others), record)
        }
        switch name.obstacle(record, known, rows.scope, allowingLookalike: allowsLookalike, taking: takes) {
        case nil: break
        case .already(let record): return .confirm(Reserved(.already(record)), record)
        case let obstacle?: return .refuse(Reserved(obstacle))
        }
        // The handle may have got another owner since it was looked up.
        guard record.map({ rows.takeAway($0) }) ?? true else { return .lock(nil) }
        let reserved = rows.write(
            name.display, .reserved, owner: reservation.owner, reason: reservation.reason, until: reservation.until,
            HistoryNote(.reserved, Cause(by: Cause.Actor(actor, .admin)), number, related: before.first))
        return .commit(Reserved(.done(reserved), original: shared.first, lookalikes: others))
    }
}

extension Reserve {
    /// A single reservation.
    /// - Parameters:
    ///   - allowsLookalike: true if the handle may look like a protected one.
    ///   - takes: true to take the handle from its owner.
    package init(
        _ name: NameToReserve, allowingLookalike allowsLookalike: Bool, taking takes: Bool, by actor: Cause.Actor
    ) {
        self.init(
            name: name, allowsLookalike: allowsLookalike, takes: takes, actor: actor.name, number: newChange())
    }
}

extension NameToReserve {
    /// The outcome without a change, because the handle is reserved already or refused; nil if it can be reserved.
    /// - Parameters:
    ///   - record: the record of the handle, if any.
    ///   - known: the same with its look-alikes.
    ///   - allowsLookalike: true if the handle may look like a protected one.
    ///   - takes: true to take the handle from its owner.
    func obstacle(
        _ record: Record?, _ known: KnownName, _ scope: Scope, allowingLookalike allowsLookalike: Bool,
        taking takes: Bool
    ) -> ChangeOutcome? {
        if let record, record.isReserved { return .already(record) }
        let known = allowsLookalike ? KnownName(known.name) : known
        let decision = Decision.decide(
            Reading(display), word: nil, known, for: caller(known, scope), to: takes ? .take : .reserve, scope.policy)
        return decision.isAvailable ? nil : .refused(.decision(decision))
    }

    /// The protected look-alikes that are kept for the same owner, or for the operator as well. If the handle is
    /// protected itself, only those before it.
    fileprivate func shared(_ known: KnownName, _ scope: Scope) -> [Handle] {
        let protectors = known.protectorsBefore
        guard !protectors.isEmpty else { return [] }
        let caller = caller(known, scope)
        return protectors.filter { caller.shares($0, to: .reserve) }.map(\.handle)
    }

    /// The owner's mark is computed only where it may be that of a look-alike's former owner.
    private func caller(_ known: KnownName, _ scope: Scope) -> Decision.Caller {
        let owner = reservation.owner
        return Decision.Caller(owner: owner, mark: known.lookalikes.isEmpty ? nil : owner.map(scope.mark))
    }
}
