import HandleCore
import Postgres

extension Account {
    /// The last one is the time: the row is read by the statement that sets it.
    static let columns = "claimed, quarantined, holds, hold_ends, changed_at"

    init(_ mark: OwnerMark, row: inout RowReader) throws(PostgresError) {
        let claimed = try row.integer()
        let quarantined = try row.texts()
        let (holds, ends) = (try row.texts(), try row.optionalDates())
        self.init(
            mark: mark, claimed: claimed, quarantined: quarantined.compactMap { Handle($0) },
            holds: zip(holds, ends).compactMap { name, end in
                guard let handle = Handle(name), let end else { return nil }
                return Hold(handle: handle, end: end)
            }, now: try row.date())
    }
}

/// Locks an owner's row, which is made where it is missing, and counts one name more or less as claimed.
///
/// Every change of what an owner has begins with this, so that two of them come one after the other.
struct LockAccount: Statement {
    let owner: Owner
    let mark: OwnerMark
    /// How many names more they claim.
    var claims: Int64 = 0

    static let sql = """
        INSERT INTO owners AS o (owner, id, claimed, quarantined, holds, hold_ends, changed_at)
        VALUES ($1, $2, $3, '{}', '{}', '{}', now())
        ON CONFLICT (owner) DO UPDATE SET
            id = EXCLUDED.id, claimed = o.claimed + EXCLUDED.claimed, changed_at = EXCLUDED.changed_at
        RETURNING owner, \(Account.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(bytes: mark.bytes)
        parameters.add(owner.id)
        parameters.add(claims)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Account {
        try Account(OwnerMark(bytes: row.bytes()), row: &row)
    }
}

/// Writes back what has changed about a locked account.
struct PutAccount: Statement {
    let account: Account

    static let sql = """
        UPDATE owners SET claimed = $2, quarantined = $3::text[], holds = $4::text[], hold_ends = $5::timestamptz[]
        WHERE owner = $1
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(bytes: account.mark.bytes)
        parameters.add(account.claimed)
        parameters.add(account.quarantined.map(\.description))
        parameters.add(account.holds.map(\.handle.description))
        parameters.add(account.holds.map { $0.end })
    }

    typealias Row = NoRow
}

/// Locks the rows of owners, those that there are, and changes nothing.
struct LockOwners: Statement {
    let marks: [OwnerMark]

    static let sql = "UPDATE owners SET changed_at = changed_at WHERE owner = ANY($1::bytea[])"

    func bind(to parameters: inout Parameters) { parameters.add(marks.map(\.bytes)) }

    typealias Row = NoRow
}

/// Forgets who an owner is, unless they have claimed a name; their mark stays.
struct ForgetOwner: Statement {
    let mark: OwnerMark

    static let sql = """
        UPDATE owners SET id = CASE WHEN claimed = 0 THEN NULL ELSE id END WHERE owner = $1 RETURNING id IS NULL
        """

    func bind(to parameters: inout Parameters) { parameters.add(bytes: mark.bytes) }

    /// Whether they are forgotten.
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.boolean() }
}

/// How many names an owner has claimed; no row for one who never had any.
struct LookupClaimed: Statement {
    let mark: OwnerMark

    static let sql = "SELECT claimed FROM owners WHERE owner = $1"

    func bind(to parameters: inout Parameters) { parameters.add(bytes: mark.bytes) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// What is noted of owners.
struct LookupNotes: Statement {
    let marks: [OwnerMark]

    static let sql = "SELECT owner, \(Account.columns) FROM owners WHERE owner = ANY($1::bytea[])"

    func bind(to parameters: inout Parameters) { parameters.add(marks.map(\.bytes)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Account {
        try Account(OwnerMark(bytes: row.bytes()), row: &row)
    }
}

/// What is mixed into the marks of owners.
struct LookupSalt: Statement {
    static let sql = "SELECT salt FROM registry_salt WHERE id = 1"

    func bind(to parameters: inout Parameters) {}

    static func decode(_ row: inout RowReader) throws(PostgresError) -> [UInt8] { try row.bytes() }
}
