extension Pool {
    package struct Configuration: Sendable {
        /// A libpq connection string or URL.
        package var conninfo: String
        /// The maximum number of connections. PostgreSQL performs best with a few for each of its cores.
        package var size = 16
        /// The maximum number of waiters for a connection. Further callers are refused at once, because their wait
        /// would be in vain.
        package var maxWaiters = 1024
        /// The timeout of a call, including the wait for a connection.
        package var timeout = usualTimeout
        package static let usualTimeout = Duration.seconds(5)
        /// The time after which an unused connection is closed.
        package var idleTime = Duration.seconds(600)
        /// The back-off after a failed connection attempt, at first and at most.
        package var firstRetryDelay = Duration.milliseconds(50)
        package var longestRetryDelay = Duration.milliseconds(500)
        /// SQL run once on every new connection.
        package var sessionScript: String

        /// - Parameter sessionScript: more SQL for each new connection.
        package init(conninfo: String, statementTimeout: Duration = .seconds(4), sessionScript more: String = "") {
            self.conninfo = conninfo
            let (seconds, attoseconds) = statementTimeout.components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            // The server's timeout is shorter than the client's, so that it does not go on with statements of calls
            // that have timed out. It also ends abandoned transactions.
            sessionScript = """
                SET statement_timeout = \(milliseconds); SET lock_timeout = \(milliseconds);
                SET idle_in_transaction_session_timeout = \(2 * milliseconds);
                \(more)
                """
        }
    }
}
