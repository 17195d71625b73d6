import HandleRules

extension Decision {
    /// The caller that a decision is for.
    package struct Caller: Sendable {
        let owner: Owner?
        /// The owner's mark, which recognises a former owner.
        let mark: OwnerMark?
        /// The secret of the caller's hold, if any.
        let hold: String?
        /// The mark of the owner for which the handle is held, where it counts.
        var holder: OwnerMark?
        /// Number of handles that the caller has claimed, where it counts.
        var claimed: Int64?

        /// An unknown caller.
        package static let anyone = Caller(owner: nil, mark: nil)

        init(owner: Owner?, mark: OwnerMark?, hold: String? = nil) {
            self.owner = owner
            self.mark = mark
            self.hold = hold
        }

        /// True if a handle that is not free may pass to the caller.
        func mayTake(_ name: NameInUse, to intent: Decision.Intent) -> Bool {
            switch intent {
            case .claim: has(name) || (name.state == .held && hold != nil && name.hold == hold)
            case .assign: name.state == .reserved || has(name)
            // A rename to a handle that the owner has claimed already would only give up the old one.
            case .rename: name.state != .claimed && mayTake(name, to: .claim)
            // Turning a claim, reservation or quarantine into a hold would lose the handle when the hold ends.
            case .hold: name.state == .held && owner != nil && name.owner == owner
            case .reserve: name.state == .reserved
            }
        }

        /// True if a kept look-alike is no obstacle to the caller: it is kept for the same owner, or for the operator as well.
        func shares(_ lookalike: NameInUse, to intent: Decision.Intent) -> Bool {
            switch intent {
            case .claim, .rename, .hold: has(lookalike)
            case .reserve: has(lookalike) || (owner == nil && lookalike.isOperators)
            case .assign: has(lookalike) || lookalike.isOperators
            }
        }

        /// True if the handle is the caller's: reserved for it, held, claimed or in quarantine.
        func has(_ name: NameInUse) -> Bool {
            // An unknown owner is not the same as another unknown owner.
            (owner != nil && name.owner == owner)
                || (name.state == .quarantined && mark != nil && name.former == mark)
        }
    }
}

extension NameInUse {
    /// True if the handle is reserved for no owner: it is kept for the operator.
    fileprivate var isOperators: Bool { state == .reserved && owner == nil }
}
