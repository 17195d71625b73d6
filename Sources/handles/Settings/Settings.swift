import HandleRegistry
import HandleServer
import Logging
import Postgres

/// The configuration of the program: from options, then the environment, then the defaults here. ``Setting/all`` says
/// which variable sets which property.
struct Settings: Sendable {
    /// A libpq connection string or URL; nil for the private PostgreSQL.
    var databaseURL: String?
    /// The file that has it.
    var databaseURLFile: String?
    /// The same for a replica of that database, for checks; nil for none.
    var readURL: String?
    /// The folder of the private PostgreSQL.
    var data = ".handles"
    var databaseConnections = 16
    var databaseWaiters = 1024
    var databaseTime = Pool.Configuration.usualTimeout
    /// The most memory of the hints which handles are in use; enough for 50 million.
    var hintsBytes = 64 << 20
    /// The first key, with every scope, or the file that has it.
    var adminKey: String?
    var adminKeyFile: String?
    var policy = Policy()
    var server = ServerConfiguration()
    /// Paths of the files for TLS; see ``ServerConfiguration/tls``.
    var tlsCertificate: String?
    var tlsKey: String?
    var log = LogFormat.text
    var logLevel = Logger.Level.notice
    /// Nil for what is stored in the database.
    var feed: Duration?
    var drain = Duration.seconds(3)
    var drainLimit = Duration.seconds(30)
    /// Path of the file with the trusted issuers of identity tokens.
    var tokenIssuers: String?

    enum LogFormat: String, Sendable, CaseIterable { case text, json }

    /// Prefix of our variables; unknown variables with it are refused, because they may be misspelt.
    private static let prefix = "HANDLES_"
    /// Minimum length of a key, so that it can't be guessed.
    private static let shortestKey = 16

    /// The defaults.
    init() {}

    /// - Parameter options: values from the command line, by the names of their settings.
    /// - Throws: ``CommandFault`` with exit status 64 that names the setting and its valid values.
    init(options: [String: String] = [:], environment: [String: String]) throws {
        let environment = environment.filter { !ServiceLink.isOne($0.key, $0.value) }
        let known = Setting.all.map(\.name)
        if let unknown = environment.keys.filter({ $0.hasPrefix(Self.prefix) && !known.contains($0) }).min() {
            // Without the prefix, which would make all names alike.
            let names = known.map { $0.trimmingPrefix(Self.prefix).lowercased() }
            let nearest = names.nearest(to: String(unknown.trimmingPrefix(Self.prefix))).flatMap(names.firstIndex)
            let hint = nearest.map { "did you mean \(known[$0])?" } ?? "handles settings lists them"
            throw CommandFault(.usage, "\(unknown) is not a setting; \(hint)")
        }
        let values = environment.filter { !$0.value.isEmpty }.merging(options) { $1 }
        for setting in Setting.all {
            if let text = values[setting.name] { try setting.apply(text, to: &self) }
        }
        try check()
    }

    /// Checks and completes what several settings say together.
    private mutating func check() throws {
        if let databaseURLFile {
            guard databaseURL == nil else {
                throw CommandFault(.usage, "DATABASE_URL and DATABASE_URL_FILE are both set; keep one of them")
            }
            databaseURL = try SettingCodec.conninfo.read(TextFile.read(databaseURLFile).trimmed, "DATABASE_URL_FILE")
        }
        guard readURL == nil || databaseURL != nil else {
            throw CommandFault(
                .usage, "HANDLES_READ_URL is a replica of the database of DATABASE_URL, which is not set")
        }
        guard server.limits.bodiesBytes >= server.limits.bodyBytes else {
            throw CommandFault(
                .usage,
                "HANDLES_BODIES_BYTES is \(server.limits.bodiesBytes), less than HANDLES_BODY_BYTES: "
                    + "\(server.limits.bodyBytes)")
        }
        try checkAdminKey()
        #if TLS
        server.tls = try transportSecurity()
        #endif
    }

    private mutating func checkAdminKey() throws {
        guard adminKey == nil || adminKeyFile == nil else {
            throw CommandFault(.usage, "HANDLES_ADMIN_KEY and HANDLES_ADMIN_KEY_FILE are both set; keep one of them")
        }
        if let adminKeyFile { adminKey = try TextFile.read(adminKeyFile).trimmed }
        guard let adminKey else { return }
        guard adminKey.utf8.count >= Self.shortestKey, adminKey.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CommandFault(
                .usage,
                "the admin key must have at least \(Self.shortestKey) characters, all printable ASCII and no spaces")
        }
    }

    #if TLS
    private func transportSecurity() throws -> TransportSecurity? {
        switch (tlsCertificate, tlsKey) {
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
    }
    #endif
}
