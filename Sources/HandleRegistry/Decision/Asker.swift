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

    /// An unknown asker.
    package static let anyone = Asker(owner: nil, mark: nil)

    init(owner: Owner?, mark: OwnerMark?, hold: String? = nil, isGivenReservation: Bool = false) {
        self.owner = owner
        self.mark = mark
        self.hold = hold
        self.isGivenReservation = isGivenReservation
    }

    /// True if a handle that is not free may pass to the asker. The statements that take handles have the same rule.
    func mayTake(_ standing: Standing, to intent: Decision.Intent) -> Bool {
        switch intent {
        case .claim:
            // nil never matches nil here, as NULL never matches NULL in SQL.
            (owner != nil && standing.owner == owner)
                || (standing.state == .held && hold != nil && standing.hold == hold)
                || (standing.state == .quarantined && mark != nil && standing.former == mark)
                || (standing.state == .reserved && isGivenReservation)
        // A rename to a handle that the owner has claimed already would only give up the old one.
        case .rename: standing.state != .claimed && mayTake(standing, to: .claim)
        // Turning a claim, reservation or quarantine into a hold would lose the handle when the hold ends.
        case .hold: standing.state == .held && owner != nil && standing.owner == owner
        case .reserve: standing.state == .reserved
        }
    }
}
