import Foundation
import Postgres
import TestSupport
import Testing

@testable import EmbeddedPostgres

/// Only the folder's owner can log in, and only as a role that is no superuser.
@Suite(.serialized) struct AccessTests {
    /// Whether a login is refused, as a role and by a user of the system.
    private func isRefused(_ role: String, at folder: String, as user: [String] = []) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            user + ["psql", "-X", "-d", "host='\(folder)/postgres' user=\(role) dbname=handles", "-c", ""]
        process.standardError = Pipe()
        try process.run()
        return await process.ended() != 0
    }

    /// Data as versions before made them: one role that is the superuser, and everybody trusted.
    private func folderOfVersionsBefore() async throws -> String {
        let folder = TemporaryFolder.make() + "/data"
        #expect(mkdir(folder, 0o755) == 0 && mkdir("\(folder)/postgres", 0o700) == 0)
        let user = try ServerUser.current()
        if let user { chown("\(folder)/postgres", user.userID, user.groupID) }
        let cluster = Cluster(
            folder: "\(folder)/postgres", programs: try .find(version: nil), user: user, settings: [])
        try await cluster.run(
            "initdb", ["-D", cluster.folderForPrograms, "-U", "handles", "-A", "trust", "-E", "UTF8", "--locale=C"])
        try await cluster.runAlone(["CREATE DATABASE handles TEMPLATE template0"], in: "postgres")
        try await cluster.runAlone(
            [
                "CREATE ROLE handles_service NOLOGIN", "GRANT handles_service TO handles",
                "CREATE TABLE things (n int PRIMARY KEY, id bigint GENERATED ALWAYS AS IDENTITY, s serial)",
                "CREATE INDEX ON things (s)", "INSERT INTO things VALUES (1)",
                "CREATE VIEW seen AS SELECT n FROM things",
                "CREATE SEQUENCE numbers", "CREATE SCHEMA more", "CREATE TABLE more.things AS TABLE things",
                "CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'",
                "GRANT SELECT ON things TO handles_service",
            ], in: "handles")
        return folder
    }

    private struct WhatIsNotOurs: NumberQuery {
        static let sql = """
            SELECT count(*) + (SELECT count(*) FROM pg_roles WHERE rolname = current_user AND rolsuper)
                + (SELECT count(*) FROM pg_database WHERE datname = 'handles' AND datdba::regrole <> 'handles'::regrole)
                + (SELECT count(*) FROM pg_proc WHERE proname = 'one' AND proowner::regrole <> 'handles'::regrole)
                + (SELECT count(*) FROM pg_namespace WHERE nspname = 'more' AND nspowner::regrole <> 'handles'::regrole)
                + (SELECT count(*) FROM pg_roles WHERE rolname LIKE '%conversion')
            FROM pg_class WHERE relnamespace::regnamespace::text IN ('public', 'more')
                AND relowner::regrole <> 'handles'::regrole
            """
    }

    /// Also when the conversion ended in the middle: after the roles, before the rules.
    @Test(.timeLimit(.minutes(5))) func takesSuperuserAndTrustFromDataOfVersionsBefore() async throws {
        let folder = try await folderOfVersionsBefore()
        let rules = "\(folder)/postgres/pg_hba.conf"
        let trusting = try String(contentsOfFile: rules, encoding: .utf8)
        for _ in 0..<2 {
            try await EmbeddedPostgres(folder: folder).use(as: .service) { conninfo in
                let count = try await run("ALTER TABLE things ADD COLUMN IF NOT EXISTS more int", on: conninfo)
                #expect(count == 1)
                #expect(try await number(WhatIsNotOurs(), on: conninfo) == 0)
                try await execute("SET ROLE handles_service; SELECT FROM things", on: conninfo)
            }
            #expect(try String(contentsOfFile: rules, encoding: .utf8) == Cluster.Access.rules)
            try trusting.write(toFile: rules, atomically: false, encoding: .utf8)
        }
    }

    @Test func letsNobodyInButItsOwnerAndOnlyAsItsRole() async throws {
        let folder = TemporaryFolder.make() + "/data"
        try await EmbeddedPostgres(folder: folder, settings: ["fsync=off"]).use(as: .service) { conninfo in
            let rules = try String(contentsOfFile: "\(folder)/postgres/pg_hba.conf", encoding: .utf8)
            #expect(!rules.contains("trust"))
            #expect(try await !isRefused("handles", at: folder))
            for role in ["postgres", "handles_service", "root"] {
                #expect(try await isRefused(role, at: folder), "\(role)")
            }
            if getuid() == 0 {
                // Debian's user for all clusters, under whom the server runs.
                for user in ["postgres", "nobody"] {
                    let asUser = ["setpriv", "--reuid=\(user)", "--clear-groups", "--"]
                    #expect(try await isRefused("handles", at: folder, as: asUser), "\(user)")
                }
            }
            #expect(try await number(WhatIsNotOurs(), on: conninfo) == 0)
        }
    }

    @Test func keepsUsersWhoWereLetInByHand() {
        let users = Cluster.Access.users("jane", after: "")
        #expect(users == "handles  \"jane\"  handles\nhandles  \"root\"  handles\n")
        let more = Cluster.Access.users("jane", after: users + "mine  jim  reader\n")
        #expect(more == users + "mine  jim  reader\n")
        #expect(Cluster.Access.users("root", after: more) == "handles  \"root\"  handles\nmine  jim  reader\n")
    }
}
