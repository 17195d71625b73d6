/// One SQL statement as a value: its text, its parameters, and how a row of its result is read.
///
/// A connection prepares a statement type once, on first use. Parameters and results are sent in binary form, so that
/// nothing is escaped, cut at a NUL or formatted by a locale.
package protocol Statement: Sendable {
    associatedtype Row: Sendable
    /// The text with `$1`, `$2` … for the parameters, each cast to its type where SQL does not imply it.
    static var sql: String { get }
    /// Adds the parameters in order; by default there are none.
    func bind(to parameters: inout Parameters)
    /// Reads one row, column by column in order.
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row
}

extension Statement {
    package func bind(to parameters: inout Parameters) {}

    /// The name under which a session knows the statement: a hash of its text (FNV-1a, 64 bits). Some poolers mix up the
    /// sessions of their clients. A name that says which text it has makes that an error, and never runs another statement.
    static var name: String {
        let hash = sql.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "h" + String(hash, radix: 16)
    }
}

/// For statements that return no rows.
package struct NoRow: Sendable {}

extension Statement where Row == NoRow {
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> NoRow { NoRow() }
}
