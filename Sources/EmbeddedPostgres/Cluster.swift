import Glibc
import Subprocess
import SystemPackage

/// A database cluster in one folder, and the programs that create, start and stop it.
struct Cluster: Sendable {
    /// The cluster's folder, absolute.
    let folder: String
    let programs: PostgresPrograms
    let user: ServerUser?
    /// Additional settings of the server, `name=value`.
    let settings: [String]

    /// The database that is created in the cluster.
    static let database = "handles"

    /// Timeout of a start or stop in seconds: after a crash the server replays its log first.
    private static let patienceSeconds = 120

    /// How long to wait for orphaned children of a crashed server, and the minimum number of start attempts: on a busy
    /// machine one attempt may take all of that time.
    private static let patienceWithOrphans = (time: Duration.seconds(10), starts: 5)

    /// The path of the cluster's folder for programs that run as the server's user.
    ///
    /// When this process is root, the folder may be where that user has no access, such as under /root. So this process
    /// opens the folder, and the program reaches it through the open descriptor; `exec` keeps it open for the server's
    /// whole life.
    var folderForPrograms: String { user == nil ? folder : "/proc/self/fd/9" }

    var exists: Bool { access("\(folder)/PG_VERSION", F_OK) == 0 }

    var socket: String { "\(folder)/.s.PGSQL.5432" }

    /// Creates the cluster and its database. The folder is empty and belongs to the server's user.
    func create() async throws {
        try await run(
            "initdb",
            [
                "-D", folderForPrograms, "-U", Access.superuser, "-A", "peer", "-E", "UTF8", "--locale=C",
                "--data-checksums", "--no-instructions",
            ])
        try await runAlone(
            Access.roles + [
                "CREATE DATABASE \(Self.database) OWNER \(Access.role) TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
            ], in: "postgres")
        try await write(Access.rules, to: Access.rulesFile)
    }

    /// Removes the folder of an interrupted creation; usually there is none.
    ///
    /// The server's user owns it, and could put a link in the place of a subfolder meanwhile. So root leaves it to that
    /// user to empty the folder.
    func remove() async throws {
        guard access(folder, F_OK) == 0 else { return }
        try await run("/usr/bin/find", ["\(folderForPrograms)/", "-mindepth", "1", "-delete"])
        guard rmdir(folder) == 0 else { throw EmbeddedPostgresError(.noAccess, cannot("remove", folder)) }
    }

    /// Runs one-line statements as the superuser, without a server. Stops at the first failure.
    func runAlone(_ statements: [String], in database: String) async throws {
        try await run(
            "postgres", ["--single", "-j", "-c", "exit_on_error=on", "-D", folderForPrograms, database],
            input: statements.map { "\($0);\n\n" }.joined())
    }

    /// Starts the server and returns when it accepts connections. A server that still runs after a crash is used as it
    /// is.
    ///
    /// Cancelling the caller doesn't interrupt an attempt; the caller must then stop the server.
    func start() async throws {
        if answers() {
            try await Task {
                try await run("pg_isready", ["-q", "-h", folderForPrograms, "-t", "\(Self.patienceSeconds)"])
            }.value
            return
        }
        let ours = [
            "listen_addresses=", "unix_socket_directories=.", "port=5432", "unix_socket_permissions=0700",
            // Compiled queries need memory that is writable and executable, which a hardened service may not have.
            "jit=off",
        ]
        // After a crash of the server alone its children may live for a moment, and no server may be started beside
        // them.
        let wasLeft = access("\(folder)/postmaster.pid", F_OK) == 0
        let deadline = ContinuousClock.now + Self.patienceWithOrphans.time
        var starts = 0
        while true {
            do {
                starts += 1
                return try await Task {
                    try await letOnlyOwnersIn()
                    try await startServer(with: ours + settings)
                }.value
            } catch  where wasLeft && (.now < deadline || starts < Self.patienceWithOrphans.starts) {
                // The orphans are children of no process here, so nothing reports when they have ended.
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private func startServer(with settings: [String]) async throws {
        let options = settings.map { "-c \($0)" }.joined(separator: " ")
        try await run(
            "pg_ctl",
            [
                "start", "-w", "-s", "-t", "\(Self.patienceSeconds)", "-D", folderForPrograms,
                "-l", "\(folderForPrograms)/server.log", "-o", options,
            ])
    }

    /// Stops the server: sessions are ended, committed data are on disk.
    func stop() async throws {
        try await run(
            "pg_ctl",
            ["stop", "-w", "-s", "-m", "fast", "-t", "\(Self.patienceSeconds)", "-D", folderForPrograms])
    }

    /// Whether a server listens on the cluster's socket.
    private func answers() -> Bool {
        guard let path = try? SocketFolder(folder).path else { return false }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: "\(path)/.s.PGSQL.5432".utf8.prefix(room.count - 1))
        }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// The environment that programs inherit: no secrets, and nothing that could redirect them. The server keeps its
    /// environment while it runs, and its sessions can read it.
    private static var environment: Environment {
        let passed = ["PATH", "TZ", "LD_LIBRARY_PATH"].compactMap { name in
            getenv(name).map { (Environment.Key(stringLiteral: name), String(cString: $0)) }
        }
        return .custom(Dictionary(uniqueKeysWithValues: passed + [("LC_ALL", "C")]))
    }

    /// Writes a file of the cluster, whole or not at all, as the server's user.
    func write(_ text: String, to file: String) async throws {
        try await run(
            "/bin/sh",
            ["-c", #"umask 077 && cat > "$1/$2.new" && mv "$1/$2.new" "$1/$2""#, "sh", folderForPrograms, file],
            input: text)
    }

    /// - Parameter program: a program of PostgreSQL, or an absolute path of another.
    func run(_ program: String, _ arguments: [String], input: String = "") async throws {
        let path = program.hasPrefix("/") ? program : programs.path(program)
        let command: [String]
        if let user {
            // $1 is the folder; the rest is the command.
            let script = """
                exec 9<"$1" && shift && cd / && exec setpriv --reuid=\(user.userID) --regid=\(user.groupID) \
                --clear-groups -- "$@"
                """
            command = ["/bin/sh", "-c", script, "sh", folder, path] + arguments
        } else {
            command = [path] + arguments
        }
        let result = try await Subprocess.run(
            .path(.init(command[0])), arguments: .init(Array(command.dropFirst())),
            environment: Self.environment, workingDirectory: "/",
            input: .inputWriter, output: .string(limit: 1 << 16), error: .string(limit: 1 << 16)
        ) { execution in
            // A program may exit without reading its input. That is not an error: its status tells the result. Subprocess
            // would end this process for an input of its own kinds (`.string`) that can't be written.
            _ = try? await execution.standardInputWriter.write(Array(input.utf8))
        }
        guard result.terminationStatus.isSuccess else {
            let said = result.standardError + result.standardOutput
            throw EmbeddedPostgresError(
                .failed, "\(program) failed on \(folder); see server.log there. It said: \(said.complaint)")
        }
    }
}

extension String {
    /// The error lines of a program's output, or else its last lines.
    fileprivate var complaint: String {
        let lines = split(whereSeparator: \.isNewline)
        let faults = lines.filter { line in ["ERROR:", "FATAL:", "PANIC:"].contains { line.contains($0) } }
        return (faults.isEmpty ? lines : faults).suffix(4).joined(separator: "; ")
    }
}
