import Configuration
import Glibc
import HandleRegistry
import HandleServer
import Logging

#if TLS
import HandleTLS
#endif

/// The configuration of the program: from options, then the environment, then the defaults of ``Setting``.
struct Settings: Sendable {
    /// A libpq connection string or URL; nil for the private PostgreSQL.
    var databaseURL: String?
    /// The same for a replica of that database, for checks; nil for none.
    let readURL: String?
    /// The folder of the private PostgreSQL.
    let data: String
    let databaseConnections: Int
    let databaseWaiters: Int
    let databaseTime: Duration
    /// The first key, with every scope.
    let adminKey: String?
    let policy: Policy
    var server: ServerConfiguration
    let logsJSON: Bool
    let logLevel: Logger.Level
    let drain: Duration
    let drainLimit: Duration
    /// Path of the file with the trusted issuers of identity tokens.
    let tokenIssuers: String?

    /// Prefix of our variables; unknown variables with it are refused.
    private static let prefix = "HANDLES_"
    /// Minimum length of a key, so that it can't be guessed.
    private static let shortestKey = 16

    /// - Parameter options: values from the command line, by configuration key such as `handles.port`.
    /// - Throws: ``CommandFault`` with exit status 64 that names the setting and its valid values.
    init(options: [AbsoluteConfigKey: ConfigValue] = [:], environment: [String: String]) throws {
        let environment = environment.filter { !ServiceLink.isOne($0.key, $0.value) }
        let known = Setting.all.map(\.name)
        if let unknown = environment.keys.filter({ $0.hasPrefix(Self.prefix) && !known.contains($0) }).min() {
            throw CommandFault(
                .usage, "\(unknown) is not a setting; the settings are \(known.sorted().joined(separator: ", "))")
        }
        let reader = SettingReader(options: options, environment: environment)
        databaseURL = try reader.conninfo(.databaseURL)
        readURL = try reader.conninfo(.readURL)
        guard readURL == nil || databaseURL != nil else {
            throw CommandFault(
                .usage, "HANDLES_READ_URL is a replica of the database of DATABASE_URL, which is not set")
        }
        data = reader.required(.data)
        databaseConnections = try reader.integer(.databaseConnections, in: 1...1000)
        databaseWaiters = try reader.integer(.databaseWaiters, in: 0...100_000)
        databaseTime = try reader.duration(.databaseTime, in: .seconds(3) ... .seconds(60))
        adminKey = try Self.adminKey(reader)
        policy = try Self.policy(reader)
        server = try Self.server(reader)
        logsJSON = try reader.choice(.log, of: ["text", "json"]) == "json"
        let level = try reader.choice(.logLevel, of: ["error", "warning", "notice", "info", "debug"])
        logLevel = Logger.Level(rawValue: level) ?? .notice
        drain = try reader.duration(.drain, in: .zero ... .seconds(600))
        drainLimit = try reader.duration(.drainLimit, in: .seconds(1) ... .seconds(600))
        try reader.require(.identityTokens, for: .tokenIssuers)
        tokenIssuers = reader.text(.tokenIssuers)
    }

    private static func policy(_ reader: SettingReader) throws -> Policy {
        var policy = Policy()
        policy.quarantine = try reader.duration(.quarantine, in: .zero ... .seconds(3650 * 86400))
        policy.hold = try reader.duration(.hold, in: Policy.holdRange)
        policy.holdPause = try reader.duration(.holdPause, in: .zero ... .seconds(86400))
        policy.perOwner = Int64(try reader.integer(.perOwner, in: 0...1_000_000, or: "0 for no limit"))
        let lookalikes = try reader.choice(.lookalikes, of: Policy.Lookalikes.allCases.map(\.rawValue))
        policy.lookalikes = Policy.Lookalikes(rawValue: lookalikes) ?? policy.lookalikes
        return policy
    }

    private static func server(_ reader: SettingReader) throws -> ServerConfiguration {
        var server = ServerConfiguration()
        server.host = reader.required(.host)
        server.port = try reader.integer(.port, in: 0...65535, option: "--port")
        server.typingPause = try reader.duration(.typingPause, in: .zero ... .seconds(5))
        server.streamLife = try reader.duration(.streamLife, in: .zero ... .seconds(86400))
        server.trustedProxies = try (reader.text(.trustedProxies) ?? "").split(separator: ",").map { text in
            guard let range = AddressRange(String(text).trimmed) else {
                throw CommandFault(
                    .usage, "HANDLES_TRUSTED_PROXIES has '\(text)'; a network is such as 192.0.2.0/24 or 2001:db8::/32")
            }
            return range
        }
        do throws(PageOrigins.Unusable) {
            server.pageOrigins = try PageOrigins(
                (reader.text(.pageOrigins) ?? "").split(separator: ",").map { String($0).trimmed })
        } catch {
            throw CommandFault(.usage, "HANDLES_PAGE_ORIGINS has '\(error.text)'; \(PageOrigins.Unusable.rule)")
        }
        server.tls = try tls(reader)
        server.limits = try limits(reader)
        return server
    }

    private static func tls(_ reader: SettingReader) throws -> TransportSecurity? {
        try reader.require(.tls, for: .tlsCertificate, .tlsKey)
        #if TLS
        switch (reader.text(.tlsCertificate), reader.text(.tlsKey)) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            do {
                return try TransportSecurity(certificate: certificate, key: key)
            } catch {
                throw CommandFault(
                    .usage,
                    "HANDLES_TLS_CERTIFICATE (\(certificate)) and HANDLES_TLS_KEY (\(key)) can't be used: they must be "
                        + "files in PEM that belong together (\(error))")
            }
        default:
            throw CommandFault(.usage, "HANDLES_TLS_CERTIFICATE and HANDLES_TLS_KEY belong together; set both")
        }
        #else
        return nil
        #endif
    }

    private static func limits(_ reader: SettingReader) throws -> ServerLimits {
        var limits = ServerLimits()
        let patience = Duration.milliseconds(100) ... .seconds(3600)
        limits.anonymous = try reader.rate(.anonymousLimit)
        limits.person = try reader.rate(.personLimit)
        limits.global = try reader.rate(.globalLimit)
        limits.rememberedCallers = try reader.integer(.rememberedCallers, in: 16...100_000_000)
        limits.connections = try reader.integer(.connections, in: 1...1_000_000)
        limits.connectionsPerAddress = try reader.integer(.connectionsPerAddress, in: 1...1_000_000)
        limits.inFlight = try reader.integer(.inFlight, in: 1...1_000_000)
        limits.requestTime = try reader.duration(.requestTime, in: patience)
        limits.idleTime = try reader.duration(.idleTime, in: patience)
        limits.sendTime = try reader.duration(.sendTime, in: patience)
        limits.addressBytes = try reader.integer(.addressBytes, in: 256...65536)
        limits.headerBytes = try reader.integer(.headerBytes, in: 1024...1_048_576)
        limits.headerFields = try reader.integer(.headerFields, in: 8...1000)
        limits.bodyBytes = try reader.integer(.bodyBytes, in: 1024...67_108_864)
        limits.bodiesBytes = try reader.integer(.bodiesBytes, in: limits.bodyBytes...1_099_511_627_776)
        limits.jsonDepth = try reader.integer(.jsonDepth, in: 2...100)
        limits.batch = try reader.integer(.batch, in: 1...Registry.longestBatch)
        return limits
    }

    private static func adminKey(_ reader: SettingReader) throws -> String? {
        let (given, file) = (reader.text(.adminKey), reader.text(.adminKeyFile))
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
}
