extension Pool {
    package struct Configuration: Sendable {
        /// A libpq connection string or URL.
        package var conninfo: String
        /// Connections at most. PostgreSQL does best with a few for each of its cores.
        package var size = 16
        /// Callers that may wait for one of them; more are refused at once, as they would only wait in vain.
        package var maxWaiters = 1024
        /// How long a call may take in all, waiting for a connection included.
        package var timeout = usualTimeout
        package static let usualTimeout = Duration.seconds(5)
        /// How long to leave an unreachable server alone, at first and at most.
        package var firstRetryDelay = Duration.milliseconds(50)
        package var longestRetryDelay = Duration.milliseconds(500)
        /// SQL run once on every new connection.
        package var sessionScript: String

        /// - Parameter sessionScript: more SQL for each new connection.
        package init(conninfo: String, statementTimeout: Duration = .seconds(4), sessionScript more: String = "") {
            self.conninfo = conninfo
            let (seconds, attoseconds) = statementTimeout.components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            // The server gives up before we do, so that it does not work for nobody; and it ends a transaction that
            // nobody goes on with.
            sessionScript = """
                SET statement_timeout = \(milliseconds); SET lock_timeout = \(milliseconds);
                SET idle_in_transaction_session_timeout = \(2 * milliseconds);
                \(more)
                """
        }
    }
}
