import Glibc

extension Cluster {
    /// The system users that may log in, and the role they log in as.
    enum Access {
        /// The role of every login. It owns the database and is not a superuser.
        static let role = "handles"

        /// The superuser of the cluster. No login as this role is possible.
        static let superuser = "postgres"

        static let rulesFile = "pg_hba.conf"

        /// Peer authentication: the system tells which user is at the other end of the socket, and every user logs in
        /// as one role.
        static let rules = """
            # pg_ident.conf lists the users who may log in. No rule lets a superuser in: postgres --single works without a server.
            local  all  \(role)  peer  map=\(map)

            """

        /// The name of the user map.
        private static let map = "handles"
        static let usersFile = "pg_ident.conf"

        /// The user map with the owner of the data and root, which could become any user anyway. Added lines stay.
        static func users(_ user: String, after text: String) -> String {
            let others = text.split(separator: "\n").filter { !$0.hasPrefix("\(map) ") }
            let ours = Set([user, "root"]).sorted().map { "\(map)  \"\($0)\"  \(role)" }
            return (ours + others.map(String.init)).map { "\($0)\n" }.joined()
        }

        /// Whether the rules are the ones above, possibly with additions.
        static func isIn(_ rules: String) -> Bool { rules.contains("map=\(map)") }

        /// Creates the roles. CREATEDB is for restoring a backup into a new database; pg_monitor lets `doctor` see all
        /// sessions.
        static let roles = [
            "CREATE ROLE \(role) LOGIN CREATEDB", "CREATE ROLE handles_service NOLOGIN",
            "GRANT handles_service TO \(role) WITH ADMIN OPTION", "GRANT pg_monitor TO \(role)",
        ]
    }

    /// Limits logins to the owner of the data and root. No server may be running on the data.
    func letOnlyOwnersIn() async throws {
        if try !Access.isIn(text(of: Access.rulesFile)) { try await takeRightsFromRole() }
        guard let name = getpwuid(geteuid()).map({ String(cString: $0.pointee.pw_name) }) else {
            throw EmbeddedPostgresError(
                .noAccess,
                "the user \(geteuid()) has no name, and PostgreSQL knows users by name; add one to /etc/passwd")
        }
        let old = try text(of: Access.usersFile)
        let new = Access.users(name, after: old)
        if old != new { try await write(new, to: Access.usersFile) }
    }

    // The bootstrap superuser can't lose that right, so it gets another name. A role can't rename itself.
    private static let conversion = """
        DO $$
        DECLARE thing text;
        BEGIN
            IF (SELECT oid FROM pg_roles WHERE rolname = '\(Access.role)') IS DISTINCT FROM 10 THEN RETURN; END IF;
            EXECUTE format('ALTER ROLE \(Access.role) RENAME TO %I', (
                SELECT CASE count(*) WHEN 0 THEN '\(Access.superuser)' ELSE 'handles_superuser' END
                FROM pg_roles WHERE rolname = '\(Access.superuser)'));
            CREATE ROLE \(Access.role) LOGIN CREATEDB;
            GRANT pg_monitor TO \(Access.role);
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'handles_service') THEN
                GRANT handles_service TO \(Access.role) WITH ADMIN OPTION;
            END IF;
            ALTER DATABASE \(Self.database) OWNER TO \(Access.role);
            -- What a column or an extension owns goes with it.
            FOR thing IN
                WITH ours AS (
                    SELECT oid, nspowner FROM pg_namespace
                    WHERE nspname NOT LIKE 'pg!_%' ESCAPE '!' AND nspname <> 'information_schema')
                SELECT format('SCHEMA %s', oid::regnamespace) FROM ours WHERE nspowner = 10
                UNION ALL
                SELECT format('TABLE %s', c.oid::regclass) FROM pg_class AS c JOIN ours ON ours.oid = relnamespace
                WHERE relowner = 10 AND relkind IN ('r', 'p', 'v', 'm', 'S') AND NOT EXISTS (
                    SELECT FROM pg_depend
                    WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype IN ('a', 'i', 'e'))
                UNION ALL
                SELECT format('ROUTINE %s', p.oid::regprocedure) FROM pg_proc AS p JOIN ours ON ours.oid = pronamespace
                WHERE proowner = 10 AND NOT EXISTS (
                    SELECT FROM pg_depend
                    WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
            LOOP
                EXECUTE format('ALTER %s OWNER TO \(Access.role)', thing);
            END LOOP;
        END
        $$
        """

    /// Converts a cluster of an earlier version, in which the role is the superuser and every user is trusted, to the
    /// current form. An interrupted conversion is repeated.
    private func takeRightsFromRole() async throws {
        let helper = "handles_conversion"
        try await runAlone(
            [
                "DROP ROLE IF EXISTS \(helper)", "CREATE ROLE \(helper) SUPERUSER",
                "SET SESSION AUTHORIZATION \(helper)",
                Self.conversion,
            ], in: Self.database)
        try await runAlone(["DROP ROLE \(helper)"], in: Self.database)
        try await write(Access.rules, to: Access.rulesFile)
    }

    /// The content of a file of the cluster; empty when there is none.
    private func text(of file: String) throws(EmbeddedPostgresError) -> String {
        try ServerFile.text(of: "\(folder)/\(file)", readableBy: user) ?? ""
    }
}
