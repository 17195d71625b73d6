import HandleRules
package import HandleWords
package import Postgres

import struct FoundationEssentials.Date

extension LookalikeEntry {
    /// The columns before the time of reading.
    static let columns = "key, protector, protected_until, next_protectors, names, ends, exempt"

    /// True for keys because of which other handles are refused: one of its handles is protected, held or in
    /// quarantine. The index has the same condition.
    static let isKept = "(protector IS NOT NULL OR ends IS NOT NULL)"

    /// The end of each of `names`; nil if none of them ends.
    fileprivate var ends: [Date?]? { names.contains { $0.end != nil } ? names.map(\.end) : nil }

    init(row: inout RowReader) throws(PostgresError) {
        guard let key = PackedASCII(try row.text().utf8) else {
            throw PostgresError(.unreadable, "the table of look-alikes has a key that is too long")
        }
        let (protector, until) = (try row.optionalText(), try row.optionalDate())
        let (next, names) = (try row.optionalTexts() ?? [], try row.optionalTexts() ?? [])
        let ends = try row.optionalDates() ?? names.map { _ in nil }
        let exempt = try row.optionalTexts() ?? []
        self.init(
            key: LookalikeKey(stored: key), protector: protector.flatMap { Handle($0) }, protectedUntil: until,
            nextProtectors: next.compactMap { Handle($0) },
            names: zip(names, ends).compactMap { name, end in Handle(name).map { Name(handle: $0, end: end) } },
            exempt: exempt.compactMap { Handle($0) }, now: try row.date())
    }
}

/// Locks the row of a look-alike key, inserting it if it is missing.
struct LockLookalike: Statement {
    let key: LookalikeKey
    /// The handle that a new row notes as claimed.
    var claimed: Handle?

    static let sql = """
        INSERT INTO lookalike_keys AS l (key, names, changed_at) VALUES ($1, $2::text[], now())
        \(whatChanges)
        """

    static let whatChanges = """
        ON CONFLICT (key) DO UPDATE SET changed_at = EXCLUDED.changed_at
        RETURNING \(LookalikeEntry.columns), changed_at
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(key.letters)
        parameters.add(claimed.map { [$0.letters] })
    }

    typealias Row = LookalikeEntry
}

/// ``LockLookalike`` for many keys, in the lock order.
struct LockLookalikes: Statement {
    let locks: [LockLookalike]

    static let sql = """
        INSERT INTO lookalike_keys AS l (key, names, changed_at)
        SELECT u.key, nullif(array_remove(ARRAY[u.claimed], NULL), '{}'), now()
        FROM unnest($1::text[], $2::text[]) AS u (key, claimed)
        \(LockLookalike.whatChanges)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(locks.map(\.key.letters))
        parameters.add(locks.map(\.claimed?.description))
    }

    typealias Row = LookalikeEntry
}

/// Locks the existing rows of look-alike keys.
struct LockKnownLookalikes: Statement {
    let keys: [LookalikeKey]

    static let sql = """
        UPDATE lookalike_keys SET changed_at = now() WHERE key = ANY($1::text[])
        RETURNING \(LookalikeEntry.columns), changed_at
        """

    func bind(to parameters: inout Parameters) { parameters.add(keys.map(\.letters)) }

    typealias Row = LookalikeEntry
}

/// Writes back the changes of a locked key.
struct PutLookalike: Statement {
    let entry: LookalikeEntry

    static let sql = """
        UPDATE lookalike_keys SET
            protector = $2, protected_until = $3, names = $4::text[], ends = $5::timestamptz[], exempt = $6::text[],
            next_protectors = $7::text[]
        WHERE key = $1
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(entry.key.description)
        parameters.add(entry.protector?.description)
        parameters.add(entry.protectedUntil)
        parameters.add(entry.names.map(\.handle.letters).nilIfEmpty)
        parameters.add(entry.ends)
        parameters.add(entry.exempt.map(\.letters).nilIfEmpty)
        parameters.add(entry.nextProtectors.map(\.letters).nilIfEmpty)
    }

    typealias Row = NoRow
}

/// Writes back locked keys that have no handle but the protected one; ``PutLookalike`` writes all others.
struct PutProtectors: Statement {
    let entries: [LookalikeEntry]

    static let sql = """
        INSERT INTO lookalike_keys AS l (key, protector, protected_until, changed_at)
        SELECT u.key, u.protector, u.until, now()
        FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS u (key, protector, until)
        ON CONFLICT (key) DO UPDATE SET
            protector = EXCLUDED.protector, protected_until = EXCLUDED.protected_until, names = EXCLUDED.names,
            ends = EXCLUDED.ends, exempt = EXCLUDED.exempt, next_protectors = EXCLUDED.next_protectors
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(entries.map(\.key.letters))
        parameters.add(entries.map { $0.protector?.description })
        parameters.add(entries.map(\.protectedUntil))
    }

    typealias Row = NoRow
}

/// The existing rows of look-alike keys.
package struct LookupLookalikes: Statement {
    let keys: [LookalikeKey]

    package init(keys: [LookalikeKey]) { self.keys = keys }

    package static let sql = "SELECT \(LookalikeEntry.columns), now() FROM lookalike_keys WHERE key = ANY($1::text[])"

    package func bind(to parameters: inout Parameters) { parameters.add(keys.map(\.letters)) }

    package typealias Row = LookalikeEntry
}

/// The rows of those look-alike keys because of which other handles are refused. They are few, and have an index of
/// their own.
struct LookupProtectors: Statement {
    let keys: [LookalikeKey]

    static let sql = """
        SELECT \(LookalikeEntry.columns), now() FROM lookalike_keys WHERE key = ANY($1::text[]) AND \(LookalikeEntry.isKept)
        """

    func bind(to parameters: inout Parameters) { parameters.add(keys.map(\.letters)) }

    typealias Row = LookalikeEntry
}

/// A page of the keys because of which other handles are refused, in order.
struct ProtectorsPage: Statement {
    let after: PackedASCII

    static let size = 20_000
    static let sql = """
        SELECT \(LookalikeEntry.columns), now() FROM lookalike_keys WHERE key > $1 AND \(LookalikeEntry.isKept)
        ORDER BY key LIMIT \(size)
        """

    func bind(to parameters: inout Parameters) { parameters.add(after) }

    typealias Row = LookalikeEntry
}

extension Statement where Row == LookalikeEntry {
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> LookalikeEntry {
        try LookalikeEntry(row: &row)
    }
}

extension CopyRows {
    /// Rows of new look-alike keys. They must be added in the order of their keys.
    static func lookalikes(reservingCapacity capacity: Int) -> CopyRows {
        CopyRows(
            table: "lookalike_keys",
            columns: [
                "key", "protector", "protected_until", "next_protectors", "names", "ends", "exempt", "changed_at",
            ], reservingCapacity: capacity)
    }

    mutating func add(_ entry: LookalikeEntry) {
        addRow { row in
            row.add(entry.key.letters)
            row.add(entry.protector?.letters)
            row.add(entry.protectedUntil)
            row.add(entry.nextProtectors.map(\.description).nilIfEmpty)
            row.add(entry.names.map(\.handle.description).nilIfEmpty)
            row.add(entry.ends)
            row.add(entry.exempt.map(\.description).nilIfEmpty)
            row.add(entry.now)
        }
    }
}

extension Array {
    /// The table has NULL for an empty list, which takes no space.
    fileprivate var nilIfEmpty: [Element]? { isEmpty ? nil : self }
}
