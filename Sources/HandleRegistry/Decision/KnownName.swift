import HandleRules

/// The database rows that a decision about one handle needs, read by the database's clock.
package struct KnownName: Sendable {
    /// Nil if the handle is free.
    var state: Handle.State?
    /// The owner that holds or has claimed the handle, or for which it is reserved.
    var owner: Owner?
    /// The mark of the former owner, in quarantine.
    var former: OwnerMark?
    /// The secret of a hold.
    var hold: String?
    private var box: Box?

    /// Few handles have a row of their look-alike key, and such a row is large.
    private final class Box: Sendable {
        let entry: LookalikeEntry
        let kept: [Handle: KnownName]
        init(_ entry: LookalikeEntry, kept: [Handle: KnownName] = [:]) { (self.entry, self.kept) = (entry, kept) }
    }

    /// A free handle, without look-alikes.
    package init() {}

    init(state: Handle.State?, lookalike: LookalikeEntry?) {
        self.state = state
        box = lookalike.map { Box($0) }
    }

    init(record: Record?, lookalike: LookalikeEntry? = nil) {
        self.init(state: nil, lookalike: lookalike)
        guard let record, !record.isFree else { return }
        (state, owner, former, hold) = (record.state, record.owner, record.former, record.hold)
    }

    /// A handle that is reserved for an owner; nil for the operator.
    init(reservedFor owner: Owner?) {
        self.init(state: .reserved, lookalike: nil)
        self.owner = owner
    }

    /// The row of the handle's look-alike key.
    var lookalike: LookalikeEntry? {
        get { box?.entry }
        set { box = newValue.map { Box($0, kept: kept) } }
    }

    /// The look-alikes that are kept for an owner or for the operator, as far as they were read.
    var kept: [Handle: KnownName] { box?.kept ?? [:] }

    /// Adds the kept look-alikes of the handle, as far as `find` finds them.
    mutating func addKept(besides handle: Handle, _ find: (Handle) -> KnownName?) {
        guard let entry = lookalike else { return }
        let found = entry.kept.filter { $0 != handle }.compactMap { other in find(other).map { (other, $0) } }
        if !found.isEmpty { box = Box(entry, kept: Dictionary(found) { first, _ in first }) }
    }
}
