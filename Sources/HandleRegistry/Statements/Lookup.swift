import HandleCore
import Postgres

/// What is known of one name.
struct Lookup: Statement {
    let handle: Handle

    static let sql = """
        SELECT \(Record.columns), coalesce(until <= now(), false)
        FROM handles WHERE handle = $1
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(handle.description)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record {
        try Record(row: &row, readsLapse: true)
    }
}

/// What is known of many names; those that nothing is known of are missing.
struct LookupMany: Statement {
    let handles: [Handle]

    static let sql = """
        SELECT \(Record.columns), coalesce(until <= now(), false)
        FROM handles WHERE handle = ANY($1::text[])
        """

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record {
        try Record(row: &row, readsLapse: true)
    }
}

/// How one name stands; no row when it is free.
struct LookupStanding: Statement {
    let handle: Handle

    static let sql = "SELECT \(Standing.columns) FROM handles WHERE handle = $1 AND \(Standing.isInUse)"

    func bind(to parameters: inout Parameters) { parameters.add(handle.letters) }

    typealias Row = Standing
}

/// How many names stand; those that are free are missing.
struct LookupStandings: Statement {
    let handles: [Handle]

    static let sql = "SELECT \(Standing.columns) FROM handles WHERE handle = ANY($1::text[]) AND \(Standing.isInUse)"

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    typealias Row = Standing
}

extension Standing {
    fileprivate static let columns = "handle, state, owner, former, hold"
    fileprivate static let isInUse = "state <> 'free' AND (until IS NULL OR until > now())"
}

extension Statement where Row == Standing {
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Standing {
        guard let handle = try row.packedASCII().flatMap({ Handle($0) }), let state = State(rawValue: try row.text())
        else {
            throw PostgresError(.unreadable, "the table of handles has a row that no version of this program wrote")
        }
        return Standing(
            handle: handle, state: state, owner: try row.optionalText().map(Owner.init(stored:)),
            former: try row.optionalBytes().map(OwnerMark.init), hold: try row.optionalText())
    }
}

/// The handles of one owner, in alphabetical order.
struct LookupOwner: Statement {
    let owner: Owner

    static let sql = """
        SELECT \(Record.columns), coalesce(until <= now(), false)
        FROM handles WHERE owner = $1 ORDER BY handle
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(owner.id)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record {
        try Record(row: &row, readsLapse: true)
    }
}
