package import HandleRules

/// Lets another owner claim a handle, with a secret. A second offer ends the first; so does a change of the handle other
/// than of its capitals.
package struct Offer: Change {
    private let handle: Handle
    private let owner: Owner
    /// Length of the offer; nil for the policy's default.
    private let duration: Duration?
    private let precondition: Precondition
    private let cause: Cause
    package let number = newChange()
    private let secret = Secret.random(prefix: prefix)
    package var goesByWords: Bool { false }

    /// By it a claim knows the secret of an offer.
    static let prefix = "offer_"

    /// - Parameters:
    ///   - owner: the owner that has claimed the handle.
    ///   - duration: within ``Policy/offerRange``; nil for the policy's default.
    package init(
        _ handle: Handle, by owner: Owner, lasting duration: Duration? = nil, if precondition: Precondition = .none,
        _ cause: Cause
    ) {
        Swift.precondition(duration.map(Policy.offerRange.contains) ?? true, "the caller must check the duration")
        self.handle = handle
        self.owner = owner
        self.duration = duration
        self.precondition = precondition
        self.cause = cause
    }

    package func lookedUp(_ scope: Scope) -> Handle? { handle }

    package func refusal(_ record: Record?, _ scope: Scope) -> ChangeOutcome? {
        guard let record, !record.isFree else { return .refused(.notClaimed) }
        guard record.owner == owner else { return .refused(.notOwner(record)) }
        return record.state == .claimed ? nil : .refused(.notClaimed)
    }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        touches.add(handle)
        touches.addLosing(owner, scope)
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        let record = rows.record(handle)
        if let record, record.change == number { return .confirm(.done(record), record) }
        if let refusal = refusal(record, rows.scope) { return .refuse(refusal) }
        guard let record, precondition.holds(for: record, rows.scope) else {
            return .refuse(.refused(.changed(record)))
        }
        if let lock = rows.lock(of: owner, for: cause.actor) { return .refuse(.refused(.locked(lock))) }
        let offer = Record.Offered(secret: secret, end: rows.now(after: duration ?? Policy.offer))
        return .commit(
            .done(
                rows.write(
                    record.display, .claimed, owner: owner, offer: offer, HistoryNote(.offered, cause, number))))
    }
}
