import Foundation
import Postgres
import TestSupport
import Testing

@testable import EmbeddedPostgres

/// Access to the private PostgreSQL: only the owner of the folder can log in, and only as a role that is no superuser.
@Suite(.serialized) struct AccessTests {
    /// Whether a login is refused.
    /// - Parameters:
    ///   - role: the role of the database.
    ///   - user: a command prefix that switches to another user of the system.
    private func isRefused(_ role: String, at folder: String, as user: [String] = []) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            user + ["psql", "-X", "-d", "host='\(folder)/postgres' user=\(role) dbname=handles", "-c", ""]
        process.standardError = Pipe()
        try process.run()
        return await process.ended() != 0
    }

    @Test func onlyTheFolderOwnerCanLogInAndOnlyAsTheRoleHandles() async throws {
        let folder = TemporaryFolder.make() + "/data"
        try await EmbeddedPostgres(folder: folder, settings: ["fsync=off"]).use(as: .service) { conninfo in
            let rules = try String(contentsOfFile: "\(folder)/postgres/pg_hba.conf", encoding: .utf8)
            #expect(!rules.contains("trust"))
            #expect(try await !isRefused("handles", at: folder))
            for role in ["postgres", "handles_service", "root"] {
                #expect(try await isRefused(role, at: folder), "\(role)")
            }
            if getuid() == 0 {
                // `postgres` is Debian's user for all clusters; the server runs as this user.
                for user in ["postgres", "nobody"] {
                    let asUser = ["setpriv", "--reuid=\(user)", "--clear-groups", "--"]
                    #expect(try await isRefused("handles", at: folder, as: asUser), "\(user)")
                }
            }
            let superusers = "SELECT count(*) FROM pg_roles WHERE rolname = current_user AND rolsuper"
            #expect(try await number(superusers, on: conninfo) == 0)
        }
    }

    /// The server's user owns the cluster's folder, so it can replace files that root reads at the start.
    @Test(
        .enabled(if: getuid() == 0, "only root has files that the server's user can't read"),
        arguments: ["pg_ident.conf", "PG_VERSION"], [true, false])
    func rootFollowsNoLinkOfTheServersUser(_ name: String, isSymbolic: Bool) async throws {
        let folder = try await preparedFolder()
        let (file, link) = ("\(folder)/of-root", "\(folder)/postgres/\(name)")
        try "15 map=handles only for root\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(chmod(file, 0o600) == 0 && unlink(link) == 0)
        #expect((isSymbolic ? symlink(file, link) : Glibc.link(file, link)) == 0)
        func place() -> ino_t {
            var status = stat()
            return lstat(link, &status) == 0 ? status.st_ino : 0
        }
        let before = place()
        let error = await #expect(throws: EmbeddedPostgresError.self) {
            try await EmbeddedPostgres(folder: folder).use(as: .command) { _ in }
        }
        #expect(error?.code == .noAccess && error?.description.contains("only for root") == false)
        // The content was not written back into a file of the server's user.
        #expect(place() == before)
    }

    @Test func usersAddedByHandAreKept() {
        let users = Cluster.Access.users("jane", after: "")
        #expect(users == "handles  \"jane\"  handles\nhandles  \"root\"  handles\n")
        let more = Cluster.Access.users("jane", after: users + "mine  jim  reader\n")
        #expect(more == users + "mine  jim  reader\n")
        #expect(Cluster.Access.users("root", after: more) == "handles  \"root\"  handles\nmine  jim  reader\n")
    }
}
