import Postgres

/// The connections of a service.
extension Registry {
    /// Lowers the number of connections so that the server's limit leaves one for commands.
    /// - Returns: the number of connections for callers, if it is lower than configured.
    package func leaveConnectionForCommands() async throws -> Int? {
        guard let allowed = try await background.run(Connections()).first?.allowed else { return nil }
        let room = max(1, allowed - background.configuration.size - 1)
        guard room < pool.configuration.size else { return nil }
        pool.limit(to: room)
        return room
    }

    /// Closes connections that were not used for minutes.
    package func closeUnusedConnections() async {
        for pool in [pool, background, reads.replica] { await pool?.closeUnused() }
    }
}
