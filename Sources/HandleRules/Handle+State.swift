extension Handle {
    /// The state of a name.
    public enum State: String, Sendable, CaseIterable {
        /// Without an owner now, though it once had one.
        case free
        /// A hold: kept for one owner for minutes, during onboarding.
        case held
        /// Owned.
        case claimed
        /// Kept by an admin.
        case reserved
        /// Released, but not free yet.
        case quarantined
    }
}
