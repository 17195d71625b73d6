import HandleCore

/// The caller that a decision is for.
package struct Asker: Sendable {
    let owner: Owner?
    /// The owner's mark, which recognises a former owner.
    let mark: OwnerMark?
    /// The secret of the asker's hold, if any.
    let hold: String?
    /// True if an admin gives the asker the reserved handle, for whichever owner it was reserved.
    let isGivenReservation: Bool
    /// Number of handles that the asker has claimed, where it counts.
    var claimed: Int64?
    /// Handles kept for the asker; nil if they were not read.
    var kept: [Handle]?

    /// An unknown asker.
    package static let anyone = Asker(owner: nil, mark: nil)

    init(owner: Owner?, mark: OwnerMark?, hold: String? = nil, isGivenReservation: Bool = false) {
        self.owner = owner
        self.mark = mark
        self.hold = hold
        self.isGivenReservation = isGivenReservation
    }

    mutating func note(_ account: Account) { (claimed, kept) = (account.claimed, account.kept) }

    /// True if a handle that is not free may pass to the asker.
    func mayTake(_ known: KnownName, to intent: Decision.Intent) -> Bool {
        switch intent {
        case .claim:
            // An unknown owner is not the same as another unknown owner.
            (owner != nil && known.owner == owner)
                || (known.state == .held && hold != nil && known.hold == hold)
                || (known.state == .quarantined && mark != nil && known.former == mark)
                || (known.state == .reserved && isGivenReservation)
        // A rename to a handle that the owner has claimed already would only give up the old one.
        case .rename: known.state != .claimed && mayTake(known, to: .claim)
        // Turning a claim, reservation or quarantine into a hold would lose the handle when the hold ends.
        case .hold: known.state == .held && owner != nil && known.owner == owner
        case .reserve: known.state == .reserved
        }
    }
}
