import Foundation
import HandleRules
import HandleWords
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

/// The findings of a diagnosis, and the error that ended it.
func diagnose(
    _ registry: Registry, _ home: DatabaseHome = .elsewhere, patience: Duration = .seconds(60)
) async -> (findings: [Finding], error: (any Error)?) {
    var findings: [Finding] = []
    do {
        try await registry.diagnose(home, connections: registry.pool.configuration.size, patience: patience) {
            findings.append($0)
        }
        return (findings, nil)
    } catch {
        return (findings, error)
    }
}

extension [Finding] {
    subscript(check: Finding.Check) -> [Finding] { filter { $0.check == check } }

    /// Whether a check has a finding of this level with `text` in its description or advice.
    func has(_ check: Finding.Check, _ level: Finding.Level, _ text: String) -> Bool {
        self[check].contains { $0.level == level && "\($0.found); \($0.advice ?? "")".contains(text) }
    }
}

@Suite struct DiagnosisTests {
    private func registry(_ conninfo: String) throws -> Registry { try Registry(pool: patientPool(conninfo)) }

    @Test func diagnosisReportsGoodAndBadSettings() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let name = try #require(database.firstMatch(of: /dbname=(\w+)/)).1
        try await execute("ALTER DATABASE \(name) SET synchronous_commit = off", on: database)
        let (findings, error) = await diagnose(try registry(database))
        #expect(error == nil)
        for check in Finding.Check.allCases {
            let isMissing = check == .replica || check == .cluster && !TestCluster.shared.isDistributed
            #expect(findings[check].isEmpty == isMissing, "\(check)")
        }
        for check in [Finding.Check.writable, .role, .schema, .locale, .clock, .words, .disk, .transactions, .history] {
            #expect(findings[check].map(\.level) == [.ok], "\(findings[check])")
        }
        for finding in findings { #expect((finding.advice == nil) == (finding.level == .ok), "\(finding)") }
        // The server of the tests has settings that are unsafe for anything else.
        #expect(findings.has(.durability, .fail, "fsync is off"))
        #expect(findings.has(.durability, .fail, "synchronous_commit is off"))
        // It is made like the private PostgreSQL, with data checksums.
        #expect(!findings.has(.durability, .warn, "pg_checksums --enable"))
        #expect(findings.has(.replication, .warn, "no replica is connected"))
        #expect(findings.has(.disk, .ok, "can't be checked from here"))
    }

    @Test func diagnosisCountsTheChangesOfReservedWords() async throws {
        let registry = try await freshRegistry()
        try await registry.change(.add("acmecorp", .exact))
        let findings = await diagnose(registry).findings
        #expect(findings.has(.words, .ok, "\(registry.words.count) in force, 1 change in"))
    }

    @Test func diagnosisNamesAWordOfAnUnknownKind() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        try await execute(
            """
            ALTER TABLE reserved_words DROP CONSTRAINT reserved_words_kind;
            INSERT INTO reserved_words VALUES ('blog', 'features', 'fuzzy', 'hand', '', 'hand', now(), NULL, 1);
            """, on: conninfo)
        let (findings, error) = await diagnose(try registry(conninfo))
        #expect(error == nil)
        #expect(findings.has(.words, .fail, "'blog' has the match 'fuzzy', which this program does not know"))
        #expect(findings.first { $0.check == .words }?.advice == "run a newer program, or correct the row")
    }

    @Test func diagnosisAsksForTheMigrationAndDoesNotRunIt() async throws {
        let registry = try registry(try await TestCluster.shared.emptyDatabase())
        let empty = await diagnose(registry)
        #expect(empty.error == nil)
        #expect(empty.findings.has(.schema, .fail, "no tables yet; run handles migrate"))
        #expect(
            empty.findings.has(
                .words, .fail, "can't be checked (refused with SQLSTATE 42P01: a table is missing); run handles migrate"
            ))
        #expect(try await registry.isReady() == false)
    }

    @Test func diagnosisStopsAtASchemaOfANewerProgram() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        try await execute("INSERT INTO schema_migrations VALUES (9999, 'future', now())", on: conninfo)
        let registry = try registry(conninfo)
        #expect(try await registry.isReady() == false)
        let (findings, error) = await diagnose(registry)
        #expect(findings.has(.schema, .fail, "version 9999"))
        #expect(findings.has(.schema, .fail, "use a newer program"))
        #expect((error as? RegistryError)?.code == .schemaFromFuture)
    }

    @Test func diagnosisStopsWhenTheDatabaseIsUnreachable() async throws {
        let pool = Pool(.init(conninfo: "host=/nonexistent dbname=x"))
        let (findings, error) = await diagnose(try Registry(pool: pool))
        #expect(findings.map(\.check) == [.connection])
        #expect(findings.has(.connection, .fail, "check DATABASE_URL"))
        #expect((error as? PostgresError)?.isTransient == true)
    }

    @Test func diagnosisReportsAnEncodingOtherThanUTF8() async throws {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        try await execute(
            "CREATE DATABASE latin_one TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'", on: conninfo)
        let latin = conninfo.split(separator: " ").map { $0.hasPrefix("dbname=") ? "dbname=latin_one" : $0 }
        let findings = await diagnose(try registry(latin.joined(separator: " "))).findings
        #expect(findings.has(.locale, .fail, "the encoding is LATIN1"))
    }

    @Test func diagnosisReportsAColumnThatIsNotComparedByteByByte() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        try await execute("ALTER TABLE reserved_words ALTER COLUMN word TYPE text COLLATE \"POSIX\"", on: conninfo)
        let findings = await diagnose(try registry(conninfo)).findings
        #expect(findings.has(.locale, .fail, "1 columns"))
    }

    @Test func diagnosisReportsAReadOnlyDatabase() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let name = try #require(conninfo.split(separator: "dbname=").last.map(String.init))
        try await execute("ALTER DATABASE \(name) SET default_transaction_read_only = on", on: conninfo)
        let (findings, error) = await diagnose(try registry(conninfo))
        #expect(error == nil)
        #expect(findings.has(.writable, .fail, "reset default_transaction_read_only"))
        #expect(findings[.words].map(\.level) == [.ok])
    }

    @Test func diagnosisWritesOnTrial() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        // A full disk refuses the write with this SQLSTATE.
        try await execute(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE 'no space' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION refuse();
            """, on: conninfo)
        let (findings, error) = await diagnose(try registry(conninfo))
        #expect(error == nil)
        #expect(findings.has(.writable, .fail, "SQLSTATE 53100: the disk of the server is full"))
        try await execute("DROP TRIGGER full_disk ON idempotency_keys", on: conninfo)
        #expect(await diagnose(try registry(conninfo)).findings[.writable].map(\.level) == [.ok])
        #expect(try await number("SELECT count(*) FROM idempotency_keys", on: conninfo) == 0)
    }

    /// A role with almost no rights: checks that it can't read are reported as such, and the others still run.
    @Test func diagnosisReportsWhatItsRoleMayNotRead() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let user = "stranger_\(UInt32.random(in: 0 ... .max))"
        try await execute("CREATE ROLE \(user) LOGIN", on: conninfo.asSuperuser)
        let session = try await Connection.open(conninfo, until: .now + .seconds(60))
        let theirs = conninfo.replacingOccurrences(of: "user=handles", with: "user=\(user)")
        let (findings, error) = await diagnose(try registry(theirs))
        await session.close()
        try await execute("DROP ROLE \(user)", on: conninfo.asSuperuser)
        #expect(error == nil)
        #expect(findings.has(.role, .warn, "not a member of handles_service"))
        for check in [Finding.Check.schema, .words] {
            #expect(
                findings.has(check, .warn, "can't be checked (refused with SQLSTATE 42501: the database user lacks"),
                "\(check)")
        }
        #expect(findings.has(.transactions, .ok, "sessions of other users can't be seen"))
    }

    @Test func diagnosisReportsTheConnectionLimitOfTheRole() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let user = "limited_\(UInt32.random(in: 0 ... .max))"
        try await execute("CREATE ROLE \(user) LOGIN CONNECTION LIMIT 5", on: conninfo.asSuperuser)
        let theirs = conninfo.replacingOccurrences(of: "user=handles", with: "user=\(user)")
        let (findings, _) = await diagnose(try registry(theirs))
        try await eventually("no session of that role is left") {
            do {
                try await execute("DROP ROLE \(user)", on: conninfo.asSuperuser)
                return true
            } catch is PostgresError { return false }
        }
        #expect(
            findings.has(.connections, .warn, "is limited to 5; a service takes up to 16; raise the CONNECTION LIMIT"))
    }

    @Test(.timeLimit(.minutes(5))) func diagnosisReportsSessionsThatBlockOthers() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let registry = try registry(conninfo)
        #expect(await diagnose(registry, patience: .zero).findings[.transactions].map(\.level) == [.ok])
        let deadline = ContinuousClock.now + .seconds(240)
        let first = try await Connection.open(conninfo, until: deadline)
        try await first.run(script: "BEGIN; LOCK TABLE names;", until: deadline)
        let idle = await diagnose(registry, patience: .zero).findings
        #expect(idle.has(.transactions, .warn, "idle in transaction; SELECT pg_terminate_backend("))
        let second = Task {
            let connection = try await Connection.open(conninfo, until: deadline)
            try await connection.run(script: "BEGIN; LOCK TABLE names; COMMIT;", until: deadline)
            await connection.close()
        }
        try await eventually("the second waits for the lock") {
            try await waitingForLocks(on: conninfo, onlyHere: true) == 1
        }
        let waiting = await diagnose(registry, patience: .zero).findings
        #expect(waiting.has(.transactions, .warn, "waiting for a lock; end what it waits for: process "))
        await first.close()
        try await second.value
    }

    @Test(.timeLimit(.minutes(5)), .notOnCitus("each node has its own replicas"))
    func diagnosisReportsTheStateOfReplicas() async throws {
        let other = try await TestCluster.shared.freshDatabase()
        try await ReplicatedPostgres.use { primary, replica in
            func findings(_ conninfo: String, _ replica: String? = nil) async throws -> [Finding] {
                let pools = (patientPool(conninfo), replica.map { patientPool($0) })
                let registry = try Registry(pool: pools.0, replica: pools.1)
                let (findings, error) = await diagnose(registry)
                #expect(error == nil)
                await pools.0.close()
                await pools.1?.close()
                return findings
            }
            try await Registry(pool: patientPool(primary)).migrate()
            // Otherwise the server's own writes would make the replica late again.
            try await execute("CHECKPOINT", on: primary.asSuperuser)
            let upToDate = """
                SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'
                    AND replay_lsn >= pg_current_wal_lsn()
                """
            try await eventually("the replica has everything") { try await number(upToDate, on: primary) > 0 }
            var all = try await findings(primary, replica)
            // On a machine that stalls, a single measurement may be late.
            while all[.replica].map(\.level) != [.ok] || !all.has(.replication, .ok, "streaming") {
                try Task.checkCancellation()
                all = try await findings(primary, replica)
            }
            #expect(all.has(.replica, .ok, "caught up with the primary within"), "\(all[.replica])")
            #expect(all.has(.replication, .ok, "streaming"), "\(all[.replication])")
            #expect(all.has(.replication, .warn, "no replica is synchronous"))
            #expect(try await findings(primary, primary).has(.replica, .warn, "is not a replica"))
            #expect(try await findings(primary, other).has(.replica, .warn, "is not a replica"))
            #expect(try await findings(other, replica).has(.replica, .fail, "a replica of another database"))
            let unreachable = try await findings(primary, "host=/nonexistent dbname=x")
            #expect(unreachable.has(.replica, .warn, "check HANDLES_READ_URL"))
            // A replica that receives the log and does not replay it.
            try await execute("SELECT pg_wal_replay_pause()", on: replica.asSuperuser)
            try await execute("CREATE TABLE later (); CHECKPOINT", on: primary.asSuperuser)
            let late = try await findings(primary, replica)
            try await execute("SELECT pg_wal_replay_resume()", on: replica.asSuperuser)
            #expect(late.has(.replica, .warn, "more than 2 s behind"))
            // The replica in place of the primary.
            let itself = try await findings(replica)
            #expect(itself.has(.writable, .fail, "target_session_attrs=read-write"))
            #expect(itself.has(.replication, .ok, "a replica itself"))
        }
    }
}
