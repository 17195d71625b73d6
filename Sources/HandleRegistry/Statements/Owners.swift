import HandleRules
import Postgres

import struct FoundationEssentials.Date

extension Account {
    /// The columns before the time of reading.
    static let columns = "id, claimed, quarantined, quarantine_ends, holds, hold_ends, lock_end"

    init(_ mark: OwnerMark, row: inout RowReader) throws(PostgresError) {
        self.init(
            mark: mark, id: try row.optionalText().map(Owner.init(stored:)), claimed: try row.integer(),
            quarantined: try Self.kept(&row), holds: try Self.kept(&row),
            lockEnd: try row.optionalDate(), now: try row.date())
    }

    private static func kept(_ row: inout RowReader) throws(PostgresError) -> [Kept] {
        let (names, ends) = (try row.texts(), try row.dates())
        return zip(names, ends).compactMap { name, end in
            guard let handle = Handle(name), let end else { return nil }
            return Kept(handle: handle, end: end)
        }
    }
}

/// Locks an owner's row, inserting it if it is missing, and changes the owner's count of claimed handles.
///
/// Every change of what an owner has begins with this statement, so that two such changes don't overlap.
struct LockAccount: Statement {
    let mark: OwnerMark
    /// The owner's id; nil to leave it as it is stored.
    let id: String?
    /// The change of the count.
    var claims: Int64 = 0

    static let columns = "owner, id, claimed, quarantined, quarantine_ends, holds, hold_ends, changed_at"
    static let sql = """
        INSERT INTO owners AS o (\(columns)) VALUES ($1, $2, $3, '{}', '{}', '{}', '{}', now())
        \(whatChanges)
        """

    static let whatChanges = """
        ON CONFLICT (owner) DO UPDATE SET
            id = coalesce(EXCLUDED.id, o.id), claimed = o.claimed + EXCLUDED.claimed,
            changed_at = EXCLUDED.changed_at
        RETURNING owner, \(Account.columns), changed_at
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(bytes: mark.bytes)
        parameters.add(id)
        parameters.add(claims)
    }

    typealias Row = Account
}

/// ``LockAccount`` for many owners, in the lock order.
struct LockAccounts: Statement {
    let locks: [LockAccount]

    static let sql = """
        INSERT INTO owners AS o (\(LockAccount.columns))
        SELECT u.owner, u.id, u.claims, '{}', '{}', '{}', '{}', now()
        FROM unnest($1::bytea[], $2::text[], $3::bigint[]) AS u (owner, id, claims)
        \(LockAccount.whatChanges)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(locks.map(\.mark.bytes))
        parameters.add(locks.map(\.id))
        parameters.add(locks.map(\.claims))
    }

    typealias Row = Account
}

extension Statement where Row == Account {
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Account {
        try Account(OwnerMark(bytes: row.bytes()), row: &row)
    }
}

/// Writes back the changes of a locked account.
struct PutAccount: Statement {
    let account: Account

    static let sql = """
        UPDATE owners SET claimed = $2, quarantined = $3::text[], quarantine_ends = $4::timestamptz[],
            holds = $5::text[], hold_ends = $6::timestamptz[]
        WHERE owner = $1
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(bytes: account.mark.bytes)
        parameters.add(account.claimed)
        parameters.add(account.quarantined.map(\.handle.description))
        parameters.add(account.quarantined.map { $0.end })
        parameters.add(account.holds.map(\.handle.description))
        parameters.add(account.holds.map { $0.end })
    }

    typealias Row = NoRow
}

/// Locks the existing rows of owners, and changes nothing.
struct LockOwners: Statement {
    let marks: [OwnerMark]

    static let sql = "UPDATE owners SET changed_at = changed_at WHERE owner = ANY($1::bytea[])"

    func bind(to parameters: inout Parameters) { parameters.add(marks.map(\.bytes)) }

    typealias Row = NoRow
}

/// Inserts owners, or adds ids, claims and holds to their rows.
struct RestoreOwners: Statement {
    let owners: [(mark: OwnerMark, id: String?, claims: Int64, hold: (handle: Handle, end: Date)?)]

    static let sql = """
        INSERT INTO owners AS o (\(LockAccount.columns))
        SELECT u.owner, u.id, u.claims, '{}', '{}',
            CASE WHEN u.hold IS NULL THEN '{}'::text[] ELSE ARRAY[u.hold] END,
            CASE WHEN u.hold IS NULL THEN '{}'::timestamptz[] ELSE ARRAY[u.hold_end] END, now()
        FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::text[], $5::timestamptz[])
            AS u (owner, id, claims, hold, hold_end)
        ON CONFLICT (owner) DO UPDATE SET
            id = coalesce(EXCLUDED.id, o.id), claimed = o.claimed + EXCLUDED.claimed,
            holds = o.holds || EXCLUDED.holds, hold_ends = o.hold_ends || EXCLUDED.hold_ends,
            changed_at = EXCLUDED.changed_at
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(owners.map(\.mark.bytes))
        parameters.add(owners.map(\.id))
        parameters.add(owners.map(\.claims))
        parameters.add(owners.map { $0.hold?.handle.description })
        parameters.add(owners.map { $0.hold?.end })
    }

    typealias Row = NoRow
}

/// Deletes an owner's id, unless the owner has claimed a handle; the mark stays.
struct ForgetOwner: Statement {
    let mark: OwnerMark

    static let sql = """
        UPDATE owners SET id = CASE WHEN claimed = 0 THEN NULL ELSE id END WHERE owner = $1 RETURNING id IS NULL
        """

    func bind(to parameters: inout Parameters) { parameters.add(bytes: mark.bytes) }

    /// True if the id is deleted.
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.boolean() }
}

/// The accounts of owners, without a lock.
struct LookupNotes: Statement {
    let marks: [OwnerMark]

    static let sql = "SELECT owner, \(Account.columns), now() FROM owners WHERE owner = ANY($1::bytea[])"

    func bind(to parameters: inout Parameters) { parameters.add(marks.map(\.bytes)) }

    typealias Row = Account
}

/// The salt of the owner marks.
struct LookupSalt: Statement {
    static let sql = "SELECT salt FROM registry_salt WHERE id = 1"

    static func decode(_ row: inout RowReader) throws(PostgresError) -> [UInt8] { try row.bytes() }
}
