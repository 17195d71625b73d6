extension PostgresError {
    /// The meanings of SQLSTATEs for an operator, with what to do, without the rare ones: from PostgreSQL's manual,
    /// appendix A.
    static let meanings = [
        "25006": "the server is a standby or read-only",
        "26000": pooler, "42P05": pooler,
        "40001": "it conflicts with another transaction", "40P01": "it conflicts with another transaction",
        "42501": "the database user lacks a right; docs/operations.md lists them (The database user)",
        "42703": "a column is missing",
        "42P01": "a table is missing",
        "53100": "the disk of the server is full",
        "53200": "the server has too little memory",
        "53300": "the server allows no more connections",
        "55P03": "another session holds a lock for too long",
        "57014": "it took too long, or was cancelled",
        "57P01": "the server is stopping", "57P02": "the server has crashed and recovers",
        "57P03": "the server is starting",
        "58030": "the server can't read or write its files; see its log",
        "58P01": "the server lacks one of its files; see its log",
        "XX001": "the data on the server's disk are damaged; see its log",
        "XX002": "an index on the server's disk is damaged; see its log",
    ]

    static let pooler =
        "the pooler before the database gives each transaction another session and does not track prepared statements; "
        + "connect to the database itself or to a pool in session mode, or use PgBouncer 1.21 or newer with "
        + "max_prepared_statements above 0"
}
