package import HandleRules

/// A condition on the record for a change to be made. It prevents a change that was meant for one owner's handle from
/// reaching the next owner's.
package struct Precondition: Sendable {
    /// The permitted versions; nil for any.
    let versions: Set<Int64>?
    /// The required owner, or former owner in quarantine; nil for any.
    let owner: Owner?
    /// True if the handle must be in use, in any version.
    let isInUse: Bool
    /// True if the handle must be free.
    let isFree: Bool

    package init(versions: Set<Int64>? = nil, owner: Owner? = nil, isInUse: Bool = false) {
        self.versions = versions
        self.owner = owner
        self.isInUse = isInUse
        isFree = false
    }

    /// The handle must be as it was read. An answer of a person that was shown the record covers no other.
    package init(unchanged record: Record?, of owner: Owner? = nil) {
        versions = record.map { [$0.version] }
        self.owner = owner
        isInUse = false
        isFree = record == nil
    }

    package static let none = Precondition()

    func holds(for record: Record?, _ scope: Scope) -> Bool {
        guard let record, !record.isFree else { return versions == nil && owner == nil && !isInUse }
        if isFree { return false }
        if let versions, !versions.contains(record.version) { return false }
        guard let owner else { return true }
        return record.state == .quarantined ? record.former == scope.mark(of: owner) : record.owner == owner
    }
}
