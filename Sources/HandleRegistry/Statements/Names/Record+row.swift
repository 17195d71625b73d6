import HandleRules
import HandleWords
import Postgres

extension Record {
    /// The columns of the table, besides the key and the hash.
    static let storedColumns = """
        handle, display, state, owner, former, hold, reason, version, change, until, changed_at, place, protection, exempt,
        offer, offer_end, forward
        """

    /// The columns of a record, in the order in which ``init(row:)`` reads them.
    static let columns = "\(storedColumns), coalesce(until <= now(), false)"

    init(row: inout RowReader) throws(PostgresError) {
        guard let display = try row.displayHandle() else { throw .foreignRow }
        let state = try row.state()
        do throws(PostgresError) {
            var record = Record(
                display: display, state: state, owner: try row.optionalText().map(Owner.init(stored:)),
                former: try row.optionalBytes().map(OwnerMark.init),
                hold: try row.optionalText(), reason: try row.optionalText(), version: try row.integer(),
                change: try row.integer(), until: try row.optionalDate(), changedAt: try row.date(),
                place: Int32(clamping: try row.integer()),
                protection: try row.optionalInteger().map { Int32(clamping: $0) }, isExempt: try row.boolean(),
                hasLapsed: false)
            let (secret, end) = (try row.optionalText(), try row.optionalDate())
            if let secret, let end { record.offer = Record.Offered(secret: secret, end: end) }
            record.isForwarded = try row.boolean()
            record.hasLapsed = try row.boolean()
            self = record
        } catch {
            throw error.about("the name \(display.handle)")
        }
    }
}

extension Statement where Row == Record {
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record { try Record(row: &row) }
}

extension NameInUse {
    /// The condition for a handle in use.
    static let condition = "state <> 'f' AND (until IS NULL OR until > now())"
    /// The columns, in the order in which a statement of these rows decodes them.
    static let columns = "handle, state, owner, former, hold, \(decidingColumns)"
    /// The same without what only the owner of a handle needs: for very many handles.
    static let slimColumns = "handle, state, NULL::text, NULL::bytea, NULL::text, \(decidingColumns)"
    private static let decidingColumns = "protection, exempt, until IS NOT NULL, changed_at, place"
}

extension Statement where Row == NameInUse {
    static func decode(_ row: inout RowReader) throws(PostgresError) -> NameInUse {
        guard let handle = try row.packedASCII().flatMap({ Handle($0) }) else { throw .foreignRow }
        return NameInUse(
            handle: handle, state: try row.state(), owner: try row.optionalText().map(Owner.init(stored:)),
            former: try row.optionalBytes().map(OwnerMark.init), hold: try row.optionalText(),
            protection: try row.optionalInteger().map { Int32(clamping: $0) }, isExempt: try row.boolean(),
            ends: try row.boolean(), changedAt: try row.date(), place: Int32(clamping: try row.integer()))
    }
}

extension Parameters {
    /// `text[]` of the look-alike keys of handles.
    mutating func add(keysOf handles: [Handle]) { add(handles.map { LookalikeKey($0).letters }) }
}
