import Glibc

/// The installed programs of one major version of PostgreSQL.
struct PostgresPrograms: Sendable, Equatable {
    /// The folder that contains `postgres`, `initdb` and `pg_ctl`.
    let folder: String

    func path(_ program: String) -> String { "\(folder)/\(program)" }

    /// The folder in which Debian and its derivatives install the versions side by side.
    static let debianRoot = "/usr/lib/postgresql"

    /// The programs of `version`, or of the newest version installed if it is nil.
    /// - Throws: ``EmbeddedPostgresError`` `.notInstalled` or `.wrongVersion`.
    static func find(version: Int?, under root: String = debianRoot) throws(EmbeddedPostgresError) -> Self {
        let installed = entries(of: root).compactMap(Int.init).sorted()
            .filter { access("\(root)/\($0)/bin/postgres", X_OK) == 0 }
        guard let newest = installed.last else {
            throw EmbeddedPostgresError(
                .notInstalled, "no PostgreSQL server under \(root); install it with: apt-get install postgresql")
        }
        guard installed.contains(version ?? newest) else {
            let have = installed.map(String.init).joined(separator: ", ")
            throw EmbeddedPostgresError(
                .wrongVersion,
                "the data were written by PostgreSQL \(version ?? newest), and installed is \(have); "
                    + "install postgresql-\(version ?? newest), or move the data over with pg_dump")
        }
        return PostgresPrograms(folder: "\(root)/\(version ?? newest)/bin")
    }
}
