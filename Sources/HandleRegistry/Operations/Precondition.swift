package import HandleCore

/// How a name must be for a change of it to be made, so that a change that was meant for one owner's name is not made to
/// the next one's.
package struct Precondition: Sendable {
    /// The versions that it may have; nil for any.
    let versions: Set<Int64>?
    /// Whose it must be, or have been before it went into quarantine; nil for anybody's.
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
