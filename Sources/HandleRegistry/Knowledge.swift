import HandleCore

/// What the database knows that bears on one name, read under its own clock.
struct Knowledge: Sendable {
    /// Of the name itself; nil when it is free.
    var standing: Standing?
    /// Of its look-alike key.
    var lookalike: LookalikeEntry?
    /// Of the asker, where it counts how many names they have.
    var account: Account?
    /// The names that are kept for the asker, as far as that is known.
    var own: [Handle] = []

    static let nothing = Knowledge()
}

extension Knowledge {
    init(record: Record?, lookalike: LookalikeEntry? = nil, account: Account? = nil) {
        self.init(standing: record?.standing, lookalike: lookalike, account: account, own: account?.kept ?? [])
    }
}
