import Postgres

extension Registry {
    /// Runs the checks on the database, one after the other. Changes nothing.
    /// - Parameters:
    ///   - home: the location of the database's files.
    ///   - patience: the age from which an open transaction is a finding.
    ///   - report: called with each finding as soon as it is known.
    /// - Throws: ``PostgresError`` if the database can't be reached, ``RegistryError`` if its schema is newer than this
    ///   program, both after they were reported; errors of `report`.
    package func diagnose(
        _ home: DatabaseHome, patience: Duration = .seconds(60), report: (Finding) throws -> Void
    ) async throws {
        let connection: Connection
        do {
            connection = try await Connection.open(
                pool.configuration.conninfo, until: .now + pool.configuration.timeout)
        } catch let error as PostgresError {
            try report(.fail(.connection, "\(error)", advice: home.adviceToConnect))
            throw error
        }
        do {
            try await diagnose(home, patience, connection, report)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    private func diagnose(
        _ home: DatabaseHome, _ patience: Duration, _ connection: Connection, _ report: (Finding) throws -> Void
    ) async throws {
        let examination = Examination(registry: self, connection: connection, home: home, patience: patience)
        for (check, findings) in Examination.checks {
            do {
                for finding in try await findings(examination) { try report(finding) }
            } catch let error as PostgresError where error.code == .refused {
                try report(.warn(check, "can't be checked (\(error))", advice: error.adviceToCheck))
            } catch let error as PostgresError {
                // The connection can't be used any more.
                try report(.fail(check, "\(error)", advice: home.adviceToConnect))
                throw error
            }
        }
        if let installed = try? await examination.installedVersion() { try Self.refuseFuture(installed) }
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
