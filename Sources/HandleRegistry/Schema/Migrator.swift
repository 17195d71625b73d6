import HandleCore
import Postgres
import Schema

/// Brings the schema of a database to a later version. Several programs may do so at the same time: each transaction locks
/// the first row of the table of migrations, and finds what the others have done.
struct Migrator {
    let connection: Connection
    /// The version to reach.
    let target: Int
    /// The time limit of each statement.
    let limit: Duration
    /// The longest wait for a table that another session uses, as in PostgreSQL's settings.
    let lockTimeout: String
    /// How long a step is tried again that has given way to other sessions.
    let patience: Duration
    /// Called with each line about the progress of a migration that takes long.
    let report: @Sendable (String) -> Void

    private var deadline: ContinuousClock.Instant { .now + limit }

    private enum Step {
        /// Some migrations are complete.
        case applied([Migration])
        /// A migration that copies tables has begun, or has copied some rows.
        case copying
        /// The schema has the version.
        case none
    }

    /// - Returns: the names of the migrations that were run, in order.
    /// - Throws: ``RegistryError``; ``PostgresError``. What was committed before stays, and the next run goes on from there.
    func run() async throws -> [String] {
        guard let traits = try await connection.run(DatabaseTraits(), until: deadline).first, traits.encoding == "UTF8"
        else {
            throw RegistryError(
                .unsuitableDatabase, "the database must have the encoding UTF8; create it with ENCODING 'UTF8'")
        }
        var applied: [Migration] = []
        while true {
            switch try await transaction(isDistributed: traits.hasCitus) {
            case .applied(let migrations): applied += migrations
            case .copying: continue
            case .none: return applied.map { "\($0.version) \($0.name)" }
            }
        }
    }

    /// Runs the next step in a transaction, or all steps if they must be in one.
    private func transaction(isDistributed: Bool) async throws -> Step {
        var giveUp: ContinuousClock.Instant?
        var isFirst = true
        while true {
            var givesWay = false
            do {
                return try await connection.transaction(until: deadline) { connection in
                    // The lock on the row makes other programs wait without a limit. Locks on other tables have a short
                    // limit, because all writers wait behind them.
                    try await connection.run(
                        script: InstalledVersion.bookkeeping(lockTimeout: lockTimeout), until: deadline)
                    let installed = try await installedVersion()
                    let isAtOnce = isDistributed || installed < Self.firstWithLookalikes
                    return isAtOnce ? try await allSteps(from: installed) : try await step(&givesWay)
                }
            } catch let error as PostgresError
                where error.isLockTimeout && givesWay || error.isConflict
            {
                // The transaction is rolled back, so a session that waits for its locks goes on.
                let end = giveUp ?? .now + patience
                guard .now < end else { throw error }
                giveUp = end
                try await Task.sleep(for: Self.pause)
            } catch let error as PostgresError where error.isOfDependents {
                throw RegistryError(
                    .unsuitableDatabase,
                    "other views or foreign keys depend on the tables that this migration replaces; drop them, migrate, and "
                        + "make them again")
            } catch let error as PostgresError where error.isOfRaceToCreate && isFirst {
                // The table of migrations exists now.
                isFirst = false
            }
        }
    }

    /// All steps of a new database, of one from before there were look-alike keys, or of a Citus cluster, where tables have
    /// no triggers.
    private func allSteps(from installed: Int) async throws -> Step {
        var givesWay = false
        var applied: [Migration] = []
        steps: while true {
            switch try await step(&givesWay, isAtOnce: true) {
            case .applied(let migrations): applied += migrations
            case .copying: continue
            case .none: break steps
            }
        }
        if applied.isEmpty { return .none }
        if installed < Self.firstWithLookalikes, target == Registry.schemaVersion { try await adoptLookalikes() }
        return .applied(applied)
    }

    /// Runs all migrations before the next one that copies tables; or its beginning, a batch of rows, or its end.
    /// - Parameters:
    ///   - givesWay: set to true if the step waits only shortly for locks.
    ///   - isAtOnce: true if all steps are in one transaction.
    private func step(_ givesWay: inout Bool, isAtOnce: Bool = false) async throws -> Step {
        let installed = try await installedVersion()
        let missing = Migration.all.filter { $0.version > installed && $0.version <= target }
        guard let next = missing.first else { return .none }
        guard let copy = next.copy else {
            let plain = missing.prefix { $0.copy == nil }
            for migration in plain {
                try await connection.run(script: migration.sql, until: deadline, report: report)
                try await note(migration)
            }
            return .applied(Array(plain))
        }
        givesWay = !isAtOnce
        guard try await connection.run(HasCopyBegun(), until: deadline).first == true else {
            try await connection.run(script: next.sql, until: deadline)
            try await connection.run(script: isAtOnce ? copy.locks : copy.triggers, until: deadline)
            return .copying
        }
        if !isAtOnce { try await connection.run(script: CopyNextRows.lockTimeout, until: deadline) }
        if let line = try await connection.run(CopyNextRows(), until: deadline).first ?? nil {
            if !line.isEmpty { report(line) }
            return .copying
        }
        try await connection.run(script: InstalledVersion.set(lockTimeout: lockTimeout), until: deadline)
        try await connection.run(script: copy.end, until: deadline)
        try await connection.run(script: InstalledVersion.set(lockTimeout: lockTimeout), until: deadline)
        try await note(next)
        return .applied([next])
    }

    private func installedVersion() async throws -> Int {
        let installed = Int(try await connection.run(InstalledVersion(), until: deadline).first ?? 0)
        try Registry.refuseFuture(installed)
        return installed
    }

    /// Records a migration, in its transaction.
    private func note(_ migration: Migration) async throws {
        _ = try await connection.run(NoteMigration(migration: migration), until: deadline)
        if migration.version == Registry.schemaVersion {
            try await connection.run(script: Script.serviceRole, until: deadline)
        }
    }

    /// Adds the look-alike keys of handles from before such keys were stored.
    private func adoptLookalikes() async throws {
        for name in try await connection.run(LookupNamesInUse(), until: deadline) {
            let locked = try await connection.run(LockLookalike(key: LookalikeKey(name.handle)), until: deadline)
            guard var entry = locked.first else { continue }
            if name.isReserved {
                entry.protect(name.handle, until: name.until)
            } else {
                entry.note(name.handle, until: name.until)
            }
            _ = try await connection.run(PutLookalike(entry: entry), until: deadline)
        }
    }

    /// The time that other sessions have before a step is tried again.
    private static let pause = Duration.milliseconds(200)

    /// The version that stores look-alike keys.
    private static let firstWithLookalikes = 4
}

extension PostgresError {
    /// True if a table can't be dropped because of objects that depend on it.
    fileprivate var isOfDependents: Bool { sqlState == "2BP01" }

    /// True if two programs created the table of migrations at the same moment, and PostgreSQL let one of them.
    fileprivate var isOfRaceToCreate: Bool { ["23505", "42P07", "42710"].contains(sqlState) }
}
