package import HandleCore

/// A condition on the record for a change to be made. It prevents a change that was meant for one owner's handle from
/// reaching the next owner's.
package struct Precondition: Sendable {
    /// The permitted versions; nil for any.
    let versions: Set<Int64>?
    /// The required owner, or former owner in quarantine; nil for any.
    let owner: Owner?

    package init(versions: Set<Int64>? = nil, owner: Owner? = nil) {
        self.versions = versions
        self.owner = owner
    }

    package static let none = Precondition()

    func holds(for record: Record, _ scope: Scope) -> Bool {
        if let versions, !versions.contains(record.version) { return false }
        guard let owner else { return true }
        return record.state == .quarantined ? record.former == scope.mark(of: owner) : record.owner == owner
    }
}
