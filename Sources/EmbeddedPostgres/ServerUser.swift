import Glibc

/// The system user of the server. PostgreSQL refuses to run as root; then it is Debian's `postgres`.
struct ServerUser: Sendable {
    let name: String
    let userID: uid_t
    let groupID: gid_t

    /// The user to change to. Nil when the process is not root: then the server runs as the same user.
    static func current() throws(EmbeddedPostgresError) -> ServerUser? {
        guard geteuid() == 0 else { return nil }
        guard let entry = getpwnam("postgres") else {
            throw EmbeddedPostgresError(
                .notInstalled, "there is no user 'postgres' to run PostgreSQL as; install Debian's postgresql package")
        }
        return ServerUser(name: "postgres", userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid)
    }
}
