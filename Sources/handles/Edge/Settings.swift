import Configuration
import Glibc
import HandleRegistry

/// What the program is told from outside: options first, then the environment, then the defaults here.
struct Settings: Sendable {
    /// A libpq connection string or URL; nil for the private PostgreSQL.
    var databaseURL: String?
    /// The same of a replica of that database, for checks.
    var readURL: String?
    /// The folder of the private PostgreSQL.
    var data = ".handles"
    var host = "127.0.0.1"
    var port = 8080
    /// The first key, with every scope.
    var adminKey: String?
    var policy = Policy()
    /// How long a live check waits for the next keystroke.
    var typingPause = Duration.milliseconds(300)

    /// Every variable with this prefix must be one of ours, or a misspelt one would go unnoticed.
    private static let prefix = "HANDLES_"
    private static let known: Set<String> = [
        "HANDLES_HOST", "HANDLES_PORT", "HANDLES_DATA", "HANDLES_ADMIN_KEY", "HANDLES_ADMIN_KEY_FILE",
        "HANDLES_QUARANTINE", "HANDLES_HOLD", "HANDLES_HOLD_PAUSE", "HANDLES_PER_OWNER", "HANDLES_LOOKALIKES",
        "HANDLES_TYPING_PAUSE",
        "HANDLES_READ_URL",
    ]

    /// The shortest key that is accepted: one that can't be guessed.
    private static let shortestKey = 16
    private static let highestPerOwner: Int64 = 1_000_000

    /// - Parameter options: what was given on the command line, by configuration key such as `handles.port`.
    /// - Throws: ``CommandFault`` with exit status 64 that names the setting and what it should be.
    init(
        options: [AbsoluteConfigKey: ConfigValue] = [:], environment: [String: String]
    ) throws {
        if let unknown = environment.keys.filter({ $0.hasPrefix(Self.prefix) && !Self.known.contains($0) }).min() {
            throw CommandFault(
                .usage,
                "\(unknown) is no setting of this program; it knows \(Self.known.sorted().joined(separator: ", "))")
        }
        let reader = ConfigReader(providers: [
            InMemoryProvider(name: "options", values: options),
            EnvironmentVariablesProvider(
                environmentVariables: environment.filter { !$0.value.isEmpty },
                secretsSpecifier: .specific(["HANDLES_ADMIN_KEY", "DATABASE_URL", "HANDLES_READ_URL"])),
        ])
        databaseURL = reader.string(forKey: "database.url", isSecret: true)
        readURL = reader.string(forKey: "handles.read.url", isSecret: true)
        guard readURL == nil || databaseURL != nil else {
            throw CommandFault(
                .usage, "HANDLES_READ_URL is a replica of the database of DATABASE_URL, which is not set")
        }
        data = reader.string(forKey: "handles.data", default: data)
        host = reader.string(forKey: "handles.host", default: host)
        if let text = reader.string(forKey: "handles.port") {
            guard let port = Int(text), (0...65535).contains(port) else {
                throw CommandFault(.usage, "HANDLES_PORT (--port) is '\(text)'; it is a number from 0 to 65535")
            }
            self.port = port
        }
        if let quarantine = reader.string(forKey: "handles.quarantine") {
            policy.quarantine = try Self.duration(
                quarantine, "HANDLES_QUARANTINE", in: .zero ... .seconds(3650 * 86400))
        }
        if let hold = reader.string(forKey: "handles.hold") {
            policy.hold = try Self.duration(hold, "HANDLES_HOLD", in: Policy.holdRange)
        }
        if let pause = reader.string(forKey: "handles.hold.pause") {
            policy.holdPause = try Self.duration(pause, "HANDLES_HOLD_PAUSE", in: .zero ... .seconds(86400))
        }
        if let pause = reader.string(forKey: "handles.typing.pause") {
            typingPause = try Self.duration(pause, "HANDLES_TYPING_PAUSE", in: .zero ... .seconds(5))
        }
        if let text = reader.string(forKey: "handles.per.owner") {
            guard let limit = Int64(text), (0...Self.highestPerOwner).contains(limit) else {
                throw CommandFault(
                    .usage,
                    "HANDLES_PER_OWNER is '\(text)'; it is a number from 1 to \(Self.highestPerOwner), or 0 for no limit"
                )
            }
            policy.perOwner = limit
        }
        if let text = reader.string(forKey: "handles.lookalikes") {
            guard let lookalikes = Policy.Lookalikes(rawValue: text) else {
                let all = Policy.Lookalikes.allCases.map(\.rawValue).joined(separator: " or ")
                throw CommandFault(.usage, "HANDLES_LOOKALIKES is '\(text)'; it is \(all)")
            }
            policy.lookalikes = lookalikes
        }
        adminKey = try Self.adminKey(reader)
    }

    private static func adminKey(_ reader: ConfigReader) throws -> String? {
        let given = reader.string(forKey: "handles.admin.key", isSecret: true)
        let file = reader.string(forKey: "handles.admin.key.file")
        guard given == nil || file == nil else {
            throw CommandFault(.usage, "HANDLES_ADMIN_KEY and HANDLES_ADMIN_KEY_FILE are both set; keep one of them")
        }
        let key = try given ?? file.map { try TextFile.read($0).trimmed }
        guard let key else { return nil }
        guard key.utf8.count >= shortestKey, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CommandFault(
                .usage, "the admin key must have at least \(shortestKey) characters, all printable ASCII and no spaces")
        }
        return key
    }

    /// Reads `300ms`, `90s`, `10m`, `24h` or `30d`.
    static func duration(_ text: String, _ name: String, in range: ClosedRange<Duration>) throws -> Duration {
        let units: [(String, Duration)] = [
            ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
            ("d", .seconds(86400)),
        ]
        guard let (suffix, unit) = units.first(where: { text.hasSuffix($0.0) }),
            let count = Int(text.dropLast(suffix.count)), (0...1_000_000).contains(count),
            range.contains(unit * count)
        else {
            throw CommandFault(
                .usage,
                "\(name) is '\(text)'; it is a number with ms, s, m, h or d, from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return unit * count
    }
}

extension String {
    var trimmed: String {
        var rest = Substring(self)
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
