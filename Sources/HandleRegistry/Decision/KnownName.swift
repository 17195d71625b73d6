import HandleCore

/// The database rows that a decision about one handle needs, read by the database's clock.
package struct KnownName: Sendable {
    /// The handle's state; nil if it is free.
    var standing: Standing?
    /// The row of the handle's look-alike key.
    var lookalike: LookalikeEntry?
    /// The asker's account, where the number of its claimed handles counts.
    var account: Account?
    /// Handles kept for the asker, as far as known.
    var own: [Handle] = []

    /// A free handle, without look-alikes.
    package init() {}

    init(standing: Standing?, lookalike: LookalikeEntry? = nil) {
        self.standing = standing
        self.lookalike = lookalike
    }

    init(record: Record?, lookalike: LookalikeEntry? = nil, account: Account? = nil) {
        self.init(standing: record?.standing, lookalike: lookalike)
        self.account = account
        own = account?.kept ?? []
    }
}
