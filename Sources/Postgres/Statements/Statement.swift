/// One SQL statement as a value: its text, its parameters, and how a row of its result is read.
///
/// A connection prepares a statement type once, on first use. Parameters and results are sent in binary form, so that
/// nothing is escaped, cut at a NUL or formatted by a locale.
package protocol Statement: Sendable {
    associatedtype Row: Sendable
    /// The text with `$1`, `$2` … for the parameters, each cast to its type where SQL does not imply it.
    static var sql: String { get }
    /// Adds the parameters in order.
    func bind(to parameters: inout Parameters)
    /// Reads one row, column by column in order.
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row
}

/// For statements that return no rows.
package struct NoRow: Sendable {}

extension Statement where Row == NoRow {
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> NoRow { NoRow() }
}
