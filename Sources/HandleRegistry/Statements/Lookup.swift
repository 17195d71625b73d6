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

    func bind(to parameters: inout Parameters) {
        parameters.add(handles.map(\.description))
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record {
        try Record(row: &row, readsLapse: true)
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
