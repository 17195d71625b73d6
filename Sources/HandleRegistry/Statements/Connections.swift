package import Postgres

/// The numbers of connections: allowed and open.
package struct Connections: Statement {
    package struct Row: Sendable {
        package let limit: Int64
        /// Connections kept for other roles.
        package let reserved: Int64
        package let used: Int64
        /// Connection limit of the role or the database, if there is one.
        package var ours: Int64?

        package init(limit: Int64, reserved: Int64, used: Int64, ours: Int64? = nil) {
            (self.limit, self.reserved, self.used, self.ours) = (limit, reserved, used, ours)
        }

        /// The number of connections that this user may have.
        package var allowed: Int { Int(max(0, min(limit - reserved, ours ?? .max))) }
    }

    package static let sql = """
        SELECT current_setting('max_connections')::bigint,
            current_setting('superuser_reserved_connections')::bigint
                + coalesce(nullif(current_setting('reserved_connections', true), '')::bigint, 0),
            (SELECT coalesce(sum(numbackends), 0)::bigint FROM pg_stat_database),
            (SELECT least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1))::bigint FROM pg_roles, pg_database
                WHERE rolname = session_user AND NOT rolsuper AND datname = current_database())
        """

    package init() {}

    package static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            limit: try row.integer(), reserved: try row.integer(), used: try row.integer(),
            ours: try row.optionalInteger())
    }
}
