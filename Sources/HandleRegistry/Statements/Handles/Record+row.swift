import HandleRules
package import Postgres

extension Record {
    /// The columns of the table.
    static let storedColumns = """
        handle, display, state, owner, former, hold, reason, version, change, until, changed_at
        """

    /// The columns of a record, in the order in which ``init(row:readsLapse:)`` reads them.
    static let columns = "\(storedColumns), coalesce(until <= now(), false)"

    /// - Parameter readsLapse: false if the last column is left out.
    init(row: inout RowReader, readsLapse: Bool = true) throws(PostgresError) {
        guard let display = try row.displayHandle() else { throw .foreignRow }
        let state = try row.state()
        do throws(PostgresError) {
            self.init(
                display: display, state: state, owner: try row.optionalText().map(Owner.init(stored:)),
                former: try row.optionalBytes().map(OwnerMark.init),
                hold: try row.optionalText(), reason: try row.optionalText(), version: try row.integer(),
                change: try row.integer(), until: try row.optionalDate(), changedAt: try row.date(),
                hasLapsed: readsLapse ? try row.boolean() : false)
        } catch {
            throw error.about("the name \(display.handle)")
        }
    }
}

extension Statement where Row == Record {
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> Record { try Record(row: &row) }
}
