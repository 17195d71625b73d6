package import HandleRules
package import Postgres

/// The existing records of handles.
package struct LookupMany: Statement {
    let handles: [Handle]

    package init(handles: [Handle]) { self.handles = handles }

    package static let sql = """
        SELECT \(Record.columns) FROM handles WHERE handle = ANY($1::text[])
        """

    package func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    package typealias Row = Record
}

/// The handles in use among some.
struct LookupNames: Statement {
    let handles: [Handle]

    static let sql = "SELECT \(KnownName.columns) FROM handles WHERE handle = ANY($1::text[]) AND \(KnownName.isInUse)"

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    typealias Row = (handle: Handle, known: KnownName)
}

/// The states of very many handles, without free ones.
struct LookupStates: Statement {
    let handles: [Handle]

    static let sql = """
        SELECT handle, state FROM handles WHERE handle = ANY($1::text[]) AND \(KnownName.isInUse)
        """

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    typealias Row = (handle: PackedASCII, state: Handle.State)
}

/// The server's estimate of the number of records; -1 if it has none.
struct EstimateOfHandles: Statement {
    static let sql = "SELECT reltuples::bigint FROM pg_class WHERE oid = 'handles'::regclass"

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int { Int(try row.integer()) }
}

/// A page of the states of handles in use, in the order of the index.
struct StatesPage: Statement {
    let after: PackedASCII
    var size = largest

    static let largest = 100_000
    static let sql = """
        SELECT handle, state FROM handles WHERE handle > $1 AND \(KnownName.isInUse) ORDER BY handle LIMIT $2
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(Int64(size))
    }

    typealias Row = (handle: PackedASCII, state: Handle.State)
}

extension Statement where Row == (handle: PackedASCII, state: Handle.State) {
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        guard let handle = try row.packedASCII() else { throw .foreignRow }
        return (handle, try row.state())
    }
}

extension KnownName {
    fileprivate static let columns = "handle, state, owner, former, hold"
    fileprivate static let isInUse = "state <> 'f' AND (until IS NULL OR until > now())"
}

extension Statement where Row == (handle: Handle, known: KnownName) {
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        guard let handle = try row.packedASCII().flatMap({ Handle($0) }) else { throw .foreignRow }
        var known = KnownName(state: try row.state(), lookalike: nil)
        known.owner = try row.optionalText().map(Owner.init(stored:))
        known.former = try row.optionalBytes().map(OwnerMark.init)
        known.hold = try row.optionalText()
        return (handle, known)
    }
}

/// The handles of one owner, in alphabetical order.
struct LookupOwner: Statement {
    let owner: Owner

    static let sql = """
        SELECT \(Record.columns) FROM handles WHERE owner = $1 ORDER BY handle
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(owner.id)
    }

    typealias Row = Record
}

/// Lapsed records, in the order in which they lapsed.
struct LookupLapsed: Statement {
    let limit: Int64

    static let sql = """
        SELECT \(Record.columns) FROM handles WHERE until <= now() ORDER BY until LIMIT $1
        """

    func bind(to parameters: inout Parameters) { parameters.add(limit) }

    typealias Row = Record
}
