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

        /// Creates the roles. CREATEDB is for restoring a backup into a new database; pg_monitor lets `doctor` see all
        /// sessions.
        static let roles = [
            "CREATE ROLE \(role) LOGIN CREATEDB", "CREATE ROLE handles_service NOLOGIN",
            "GRANT handles_service TO \(role) WITH ADMIN OPTION", "GRANT pg_monitor TO \(role)",
        ]
    }

    /// Limits logins to the owner of the data and root. No server may be running on the data.
    func letOnlyOwnersIn() async throws {
        guard let name = getpwuid(geteuid()).map({ String(cString: $0.pointee.pw_name) }) else {
            throw EmbeddedPostgresError(
                .noAccess,
                "the user \(geteuid()) has no name, and PostgreSQL knows users by name; add one to /etc/passwd")
        }
        let old = try ServerFile.text(of: "\(folder)/\(Access.usersFile)", readableBy: user) ?? ""
        let new = Access.users(name, after: old)
        if old != new { try await write(new, to: Access.usersFile) }
    }
}
