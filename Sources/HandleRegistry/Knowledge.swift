import HandleCore

/// What the database knows that bears on one name, read under its own clock.
struct Knowledge: Sendable {
    /// Of the name itself; nil when nothing is known.
    var record: Record?
    /// Of its look-alike key.
    var lookalike: LookalikeEntry?
    /// Of the asker, where it counts how many names they have.
    var account: Account?

    static let nothing = Knowledge()
}
