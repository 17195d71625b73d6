import Glibc

/// A private PostgreSQL in a folder: created if missing, started if not running, reachable by a Unix socket only.
///
/// Any number of processes may use the same folder at the same time, but only one of them as the service. This is
/// ensured by three lock files: the service holds `service.lock`; all users of the server share `use.lock`, so that the
/// last one stops it; `start.lock` keeps starts and stops apart.
package struct EmbeddedPostgres: Sendable {
    /// The role in which the server is used.
    package enum Role: Sendable { case service, command }

    /// The folder, absolute. The cluster is in its subfolder `postgres`.
    package let folder: String
    private let settings: [String]

    /// - Parameters:
    ///   - folder: absolute, or relative to the working directory; created if missing, and closed to other users.
    ///   - settings: settings for the server, `name=value`, without white space.
    package init(folder: String, settings: [String] = []) throws(EmbeddedPostgresError) {
        self.folder = try DataFolder.prepare(folder)
        self.settings = settings
    }

    /// Whether a folder is known not to contain a private PostgreSQL: false too if it can't be entered. Creates nothing.
    package static func isMissing(in folder: String) -> Bool {
        access("\(folder)/postgres", F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// Runs `body` with the server up and passes it the connection string.
    ///
    /// Afterwards the server is stopped, unless another process still uses it.
    /// - Throws: ``EmbeddedPostgresError``; the errors of `body`.
    package func use<Result>(as role: Role, _ body: (_ conninfo: String) async throws -> Result) async throws -> Result
    {
        let service = try FileLock(path: "\(folder)/service.lock")
        if role == .service {
            guard service.tryLock(.exclusive) else {
                throw EmbeddedPostgresError(
                    .inUse,
                    "another service (\(service.holder)) works on \(folder); "
                        + "stop it, or give this one a folder of its own with HANDLES_DATA")
            }
        }
        let usage = try FileLock(path: "\(folder)/use.lock")
        let cluster = try await start(using: usage)
        do {
            try Task.checkCancellation()
            let socket = try SocketFolder(cluster.folder)
            let result = try await body(conninfo(socket))
            try await stopIfLast(cluster, usage)
            withExtendedLifetime((service, socket)) {}
            return result
        } catch {
            // The caller gets the first error.
            try? await stopIfLast(cluster, usage)
            withExtendedLifetime(service) {}
            throw error
        }
    }

    private func conninfo(_ socket: SocketFolder) -> String {
        let quoted = socket.path.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "host='\(String(quoted))' port=5432 user=\(Cluster.Access.role) dbname=\(Cluster.database)"
    }

    private func start(using usage: FileLock) async throws -> Cluster {
        try await alone {
            let user = try ServerUser.current()
            let folder = "\(self.folder)/postgres"
            let cluster = Cluster(
                folder: folder, programs: try .find(version: majorVersion(of: folder, user)), user: user,
                settings: settings)
            if !cluster.exists { try await create(cluster) }
            try Task.checkCancellation()
            do {
                try await cluster.start()
            } catch {
                // Ctrl-C at a terminal also reaches the program that starts the server, which then fails.
                try Task.checkCancellation()
                throw error
            }
            try await usage.lock(.shared)
            return cluster
        }
    }

    /// Creates the cluster in a temporary folder and moves it into place when it is complete, so that a crash leaves no
    /// partial one.
    private func create(_ cluster: Cluster) async throws {
        let draft = Cluster(
            folder: "\(cluster.folder).new", programs: cluster.programs, user: cluster.user, settings: settings)
        try await draft.remove()
        guard mkdir(draft.folder, 0o700) == 0 else {
            throw EmbeddedPostgresError(.noAccess, cannot("make", draft.folder))
        }
        if let user = cluster.user, chown(draft.folder, user.userID, user.groupID) != 0 {
            throw EmbeddedPostgresError(.noAccess, cannot("hand over", draft.folder))
        }
        try await draft.create()
        guard rename(draft.folder, cluster.folder) == 0 else {
            throw EmbeddedPostgresError(.noAccess, cannot("move the new cluster to", cluster.folder))
        }
    }

    private func stopIfLast(_ cluster: Cluster, _ usage: FileLock) async throws {
        // In a separate task that is not cancelled with the caller, so that an interrupted command also cleans up.
        try await Task {
            try await alone {
                defer { usage.unlock() }
                if usage.tryLock(.exclusive) { try await cluster.stop() }
            }
        }.value
    }

    /// Runs `body` while no other process starts or stops the server.
    private func alone<Result>(_ body: () async throws -> Result) async throws -> Result {
        let lock = try FileLock(path: "\(folder)/start.lock")
        try await lock.lock(.exclusive)
        defer { lock.unlock() }
        return try await body()
    }

    /// The version of PostgreSQL that wrote the cluster; nil when there is none yet.
    private func majorVersion(of folder: String, _ user: ServerUser?) throws(EmbeddedPostgresError) -> Int? {
        let note = try ServerFile.text(of: "\(folder)/PG_VERSION", readableBy: user)
        return note.flatMap { Int($0.prefix { $0.isNumber }) }
    }
}
