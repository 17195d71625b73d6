import HandleRules
import HandleWords
import Postgres

/// The records of handles and of all handles that look like one of them, in any state.
struct LookupRecords: Statement {
    let handles: [Handle]

    static let sql = "SELECT \(Record.columns) FROM names WHERE key = ANY($1::text[])"

    func bind(to parameters: inout Parameters) { parameters.add(keysOf: handles) }

    typealias Row = Record
}

/// The handles in use with some look-alike keys.
struct LookupNames: Statement {
    let keys: [LookalikeKey]

    static let sql = """
        SELECT \(NameInUse.columns) FROM names WHERE key = ANY($1::text[]) AND \(NameInUse.condition)
        """

    func bind(to parameters: inout Parameters) { parameters.add(keys.map(\.letters)) }

    typealias Row = NameInUse
}

/// The server's estimate of the number of records; -1 if it has none.
struct EstimateOfNames: Statement {
    static let sql = "SELECT reltuples::bigint FROM pg_class WHERE oid = 'names'::regclass"

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int { Int(try row.integer()) }
}

/// A page of the handles in use, in the order of the primary key.
struct NamesInUsePage: Statement {
    /// The last handle of the page before; nil for the first page.
    let last: NameInUse?
    var size = largest

    static let largest = 100_000
    static let sql = """
        SELECT \(NameInUse.slimColumns) FROM names WHERE (key, place) > ($1, $2::bigint) AND \(NameInUse.condition)
        ORDER BY key, place LIMIT $3
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(last.map { LookalikeKey($0.handle).letters } ?? PackedASCII())
        parameters.add(last.map { Int64($0.place) } ?? -1)
        parameters.add(Int64(size))
    }

    typealias Row = NameInUse
}

extension Pool {
    /// Reads all handles in use, page by page.
    /// - Parameter page: called with each page; returns false to stop.
    /// - Throws: `PostgresError`; `CancellationError`; errors of `page`.
    func readNamesInUse(
        _ size: Int = NamesInUsePage.largest, _ page: ([NameInUse]) throws -> Bool
    ) async throws {
        var last: NameInUse?
        while true {
            try Task.checkCancellation()
            let names = try await run(NamesInUsePage(last: last, size: size))
            guard try page(names), names.count == size else { return }
            last = names.last
        }
    }
}

/// The handles of owners, in alphabetical order.
struct LookupOwners: Statement {
    let owners: [Owner]

    static let sql = """
        SELECT \(Record.columns) FROM names WHERE owner = ANY($1::text[]) ORDER BY handle
        """

    func bind(to parameters: inout Parameters) { parameters.add(owners.map(\.id)) }

    typealias Row = Record
}

/// Lapsed records, in the order in which they lapsed.
struct LookupLapsed: Statement {
    let limit: Int64

    static let sql = """
        SELECT \(Record.columns) FROM names WHERE until <= now() ORDER BY until LIMIT $1
        """

    func bind(to parameters: inout Parameters) { parameters.add(limit) }

    typealias Row = Record
}
