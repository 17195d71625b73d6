import HandleRules

import struct FoundationEssentials.Date

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
        /// The moment from which the caller can get a further handle; nil if it can now.
        var wait: Date?
        /// The lock of the caller.
        var lock: Lock?

        /// An unknown caller.
        package static let anyone = Caller(owner: nil, mark: nil)

        init(owner: Owner?, mark: OwnerMark?, hold: String? = nil) {
            self.owner = owner
            self.mark = mark
            self.hold = hold
        }

        /// The owner of an account, as an actor acts for it. Admins act for a locked owner too.
        /// - Parameter account: nil if it was not read.
        init(owner: Owner, _ account: Account?, by actor: Cause.Actor? = nil, hold: String? = nil, _ scope: Scope) {
            self.init(owner: owner, mark: account?.mark ?? scope.mark(of: owner), hold: hold)
            wait = account?.waitsUntil(scope.policy)
            lock = actor?.rights == .admin ? nil : account?.lock
        }

        /// True if a handle that is not free may pass to the caller.
        func mayTake(_ name: NameInUse, to intent: Decision.Intent) -> Bool {
            switch intent {
            // The secret of a hold, or of an offer of the owner.
            case .claim: has(name) || (hold != nil && name.hold == hold)
            case .assign, .take: true
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
            case .reserve, .take: has(lookalike) || (owner == nil && lookalike.isOperators)
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
    var isOperators: Bool { state == .reserved && owner == nil }
}
