import Postgres

extension Registry {
    /// Runs the checks of the database and its settings, one after the other. Changes nothing: the check of writes is
    /// rolled back.
    /// - Parameters:
    ///   - home: the location of the database's files.
    ///   - connections: the number of connections that a service may open.
    ///   - patience: the age from which an open transaction is a finding.
    ///   - report: called with each finding as soon as it is known.
    /// - Throws: `PostgresError` if the database can't be reached, `RegistryError` if its schema is newer than this
    ///   program, both after they were reported; errors of `report`.
    package func diagnose(
        _ home: DatabaseHome, connections: Int, patience: Duration = .seconds(60), report: (Finding) throws -> Void
    ) async throws {
        let database = pool.configuration
        let connection: Connection
        do {
            connection = try await Connection.open(database.conninfo, until: .now + database.timeout)
        } catch let error as PostgresError {
            try report(.fail(.connection, "\(error)", advice: home.adviceToConnect))
            throw error
        }
        do {
            try await connection.proveSessions(of: database.conninfo, until: .now + database.timeout)
            try await Examination(
                registry: self, connection: connection, home: home, connections: connections, patience: patience
            ).run(report)
        } catch {
            await connection.close()
            if let error = error as? PostgresError, error.code == .unsuitable {
                try report(.fail(.connection, "\(error)", advice: "see the chapter Poolers of docs/operations.md"))
            }
            throw error
        }
        await connection.close()
    }
}

extension Examination {
    fileprivate func run(_ report: (Finding) throws -> Void) async throws {
        for (check, findings) in Self.checks {
            do {
                for finding in try await findings(self) { try report(finding) }
            } catch let error as PostgresError where error.code == .refused {
                let found = "can't be checked (\(error))"
                // A user without the right to look may still have all rights that the service needs.
                let isUnseen = error.sqlState == "42501"
                try report(
                    isUnseen
                        ? .warn(check, found, advice: error.adviceToCheck)
                        : .fail(check, found, advice: error.adviceToCheck))
            } catch let error as PostgresError {
                // The connection can't be used any more.
                try report(.fail(check, "\(error)", advice: home.adviceToConnect))
                throw error
            }
        }
        if let installed = try? await installedVersion() { try Registry.refuseFuture(installed) }
    }
}

extension DatabaseHome {
    var isHere: Bool { if case .here = self { true } else { false } }

    fileprivate var adviceToConnect: String {
        switch self {
        case .here(let folder, _): "see the server's log, \(folder)/postgres/server.log"
        case .elsewhere: "check DATABASE_URL, that the server runs, and that it accepts this user"
        }
    }
}

extension PostgresError {
    fileprivate var adviceToCheck: String {
        switch sqlState {
        case "42P01", "42703": "run handles migrate to create it"
        case "42501": "connect as the owner of the tables or a member of pg_monitor"
        default: "see the server's log"
        }
    }
}
