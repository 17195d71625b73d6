/// A discrepancy between the registry's tables and its history.
package struct Discrepancy: Sendable, Hashable {
    /// The handle; for ``Kind/miscounted`` and ``Kind/brokenLock`` the owner's mark.
    package let subject: String
    /// The version of the record, if there is one.
    package let version: Int64?
    package let kind: Kind

    package enum Kind: String, Sendable, CaseIterable {
        /// The record has no event.
        case noHistory = "no_history"
        /// The history is of a handle without a record.
        case noName = "no_name"
        /// The event, or one before it, was changed.
        case brokenChain = "broken_chain"
        /// An event is missing, or does not begin in the state in which the one before it ended.
        case gap
        /// The record differs from its last event, or there are two records.
        case differs
        /// An owner's count of claims is wrong.
        case miscounted
        /// Look-alikes of the handle are not refused as they should be.
        case unprotected
        /// The handle is stored under another look-alike key than its own, so checks and changes don't find it.
        case stray
        /// The handle is held or in quarantine, but missing from the owner's account.
        case unlisted
        /// The history of an owner's locks was changed, has a gap, or does not lead to the lock in force.
        case brokenLock = "broken_lock"
    }
}
