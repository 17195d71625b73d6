import HandleCore

/// Where the registry's tables and its history disagree.
package struct Discrepancy: Sendable, Hashable {
    /// The name, or the owner's mark for ``Kind/miscounted``.
    package let subject: String
    /// The version of the name, where there is one.
    package let version: Int64?
    package let kind: Kind
    /// The look-alike key that has the name, for ``Kind/stray``.
    var key: LookalikeKey?

    package enum Kind: String, Sendable, CaseIterable {
        /// The name has no history.
        case noHistory = "no_history"
        /// The history tells of a name that is not there.
        case noName = "no_name"
        /// An event was changed, or one before it.
        case brokenChain = "broken_chain"
        /// An event is missing, or does not begin where the one before it ended.
        case gap
        /// The name is other than its last event left it.
        case differs
        /// An owner's count of claims is wrong.
        case miscounted
        /// What looks like the name is not kept from others as it should be.
        case unprotected
        /// Names are kept from others for looking like this one, which nobody has.
        case stray
        /// The name is held by, or in quarantine for, an owner whose notes don't have it.
        case unlisted
    }
}
