import HandleCore

/// The database rows that a decision about one handle needs, read by the database's clock.
package struct KnownName: Sendable {
    /// Nil if the handle is free.
    var state: State?
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
        init(_ entry: LookalikeEntry) { self.entry = entry }
    }

    /// A free handle, without look-alikes.
    package init() {}

    init(state: State?, lookalike: LookalikeEntry?) {
        self.state = state
        box = lookalike.map(Box.init)
    }

    init(record: Record?, lookalike: LookalikeEntry? = nil) {
        self.init(state: nil, lookalike: lookalike)
        guard let record, !record.isFree else { return }
        (state, owner, former, hold) = (record.state, record.owner, record.former, record.hold)
    }

    /// The row of the handle's look-alike key.
    var lookalike: LookalikeEntry? {
        get { box?.entry }
        set { box = newValue.map(Box.init) }
    }
}
