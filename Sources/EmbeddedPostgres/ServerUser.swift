import Glibc

/// Who the server runs as: PostgreSQL refuses to run as root, so then it is Debian's `postgres`.
struct ServerUser: Sendable {
    let name: String
    let userID: uid_t
    let groupID: gid_t

    /// The user to change to, or nil when the process is an ordinary user and the server runs as the same.
    static func current() throws(EmbeddedPostgresError) -> ServerUser? {
        guard geteuid() == 0 else { return nil }
        guard let entry = getpwnam("postgres") else {
            throw EmbeddedPostgresError(
                .notInstalled, "there is no user 'postgres' to run PostgreSQL as; install Debian's postgresql package")
        }
        return ServerUser(name: "postgres", userID: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid)
    }
}
