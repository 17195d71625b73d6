/// A setting of the service: its name, its default and its meaning.
struct Setting: Sendable {
    let name: String
    /// The default as text; empty for none.
    let usual: String
    let meaning: String

    init(_ name: String, _ usual: String, _ meaning: String) {
        self.name = name
        self.usual = usual
        self.meaning = meaning
    }

    /// All settings. Unknown variables that begin with `HANDLES_` are refused, because they may be misspelt. The table
    /// in docs/operations.md is generated from this list.
    static let all: [Setting] =
        [
            databaseURL, readURL, data, databaseConnections, databaseWaiters, databaseTime, host, port, adminKey,
            adminKeyFile, tokenIssuers,
        ]
        + [perOwner, quarantine, hold, holdPause, lookalikes, typingPause]
        + [anonymousLimit, personLimit, globalLimit, rememberedCallers, trustedProxies, pageOrigins]
        + [connections, connectionsPerAddress, inFlight, requestTime, idleTime, sendTime, streamLife]
        + [addressBytes, headerBytes, headerFields, bodyBytes, bodiesBytes, jsonDepth, batch]
        + [tlsCertificate, tlsKey, log, logLevel, drain, drainLimit]

    // MARK: The database

    static let databaseURL = Setting(
        "DATABASE_URL", "",
        "Connection string or URL of PostgreSQL, passed to libpq unchanged; several hosts work. Empty: a "
            + "private PostgreSQL.")
    static let readURL = Setting(
        "HANDLES_READ_URL", "",
        "The same for a replica of that database, which serves checks. Claims always use the primary. A check "
            + "may miss claims of the last two seconds; the header `Age` says how old the answer may be.")
    static let data = Setting(
        "HANDLES_DATA", ".handles", "Folder of the private PostgreSQL and of the key made for it.")
    static let databaseConnections = Setting(
        "HANDLES_DATABASE_CONNECTIONS", "16",
        "Size of the connection pool. A few connections for each core of the database work best.")
    static let databaseWaiters = Setting(
        "HANDLES_DATABASE_WAITERS", "1024", "Requests that may wait for a connection; further ones get 503.")
    static let databaseTime = Setting(
        "HANDLES_DATABASE_TIME", "5s",
        "Time limit of a request's database work, including the wait for a connection. A statement gets four "
            + "fifths of it.")

    // MARK: Addresses and credentials

    static let host = Setting("HANDLES_HOST", "127.0.0.1", "Address to listen on.")
    static let port = Setting("HANDLES_PORT", "8080", "Port to listen on; 0 for any free port.")
    static let adminKey = Setting(
        "HANDLES_ADMIN_KEY", "",
        "First access key, with every scope: at least 16 printable ASCII characters without spaces. Empty: "
            + "the private PostgreSQL gets one at its first start.")
    static let adminKeyFile = Setting("HANDLES_ADMIN_KEY_FILE", "", "File with that key; set only one of the two.")
    static let tokenIssuers = Setting(
        "HANDLES_TOKEN_ISSUERS", "",
        "JSON file of trusted issuers of identity tokens (tokens.md); needs the trait IdentityTokens.")
    static let tlsCertificate = Setting(
        "HANDLES_TLS_CERTIFICATE", "",
        "File with the certificate chain (PEM). With it and the key the service speaks TLS; needs the trait "
            + "TLS.")
    static let tlsKey = Setting("HANDLES_TLS_KEY", "", "File with the private key of the certificate (PEM).")
    static let trustedProxies = Setting(
        "HANDLES_TRUSTED_PROXIES", "",
        "Networks of trusted proxies, separated by commas. X-Forwarded-For from other peers is ignored.")

    static let pageOrigins = Setting(
        "HANDLES_PAGE_ORIGINS", "",
        "Origins such as https://app.example, separated by commas, whose pages may read availability in a "
            + "browser (CORS), without credentials.")

    // MARK: Policy of names

    static let perOwner = Setting(
        "HANDLES_PER_OWNER", "1", "Handles an owner may claim; 0 for no limit. A lower limit takes no handle away.")
    static let quarantine = Setting(
        "HANDLES_QUARANTINE", "30d", "How long a released name is kept for its former owner; 0s frees it at once.")
    static let hold = Setting("HANDLES_HOLD", "10m", "Duration of a hold when the request names none; at most 1h.")
    static let holdPause = Setting(
        "HANDLES_HOLD_PAUSE", "10m",
        "How long after the end of a hold its owner can't hold the same name again. The owner can claim it at "
            + "once.")
    static let lookalikes = Setting(
        "HANDLES_LOOKALIKES", "protected",
        "Names whose look-alikes are refused. protected: names that are reserved, claimed from a reservation, "
            + "held or quarantined. strict: every name in use.")
    static let typingPause = Setting(
        "HANDLES_TYPING_PAUSE", "300ms", "How long a live check waits for the next keystroke; at most 5s.")

    // MARK: Limits

    static let anonymousLimit = Setting(
        "HANDLES_ANONYMOUS_LIMIT", "300/5m",
        "Names that callers without a credential may ask about, from one IPv4 address or one IPv6 network of "
            + "64 bits. Networks of 56 bits get 4 times, those of 48 bits 16 times as many. none: no limit.")
    static let personLimit = Setting(
        "HANDLES_PERSON_LIMIT", "300/5m",
        "Names that a person with an identity token may ask about, from all addresses together. none: no "
            + "limit.")
    static let globalLimit = Setting(
        "HANDLES_GLOBAL_LIMIT", "none", "Requests of all callers together; further ones get 503.")
    static let rememberedCallers = Setting(
        "HANDLES_REMEMBERED_CALLERS", "100000",
        "Callers of each kind whose quota is kept in memory. Beyond that, new addresses share the quota of "
            + "their network, and new people share quotas.")
    static let connections = Setting(
        "HANDLES_CONNECTIONS", "10000", "Open connections; further ones wait in the listen backlog.")
    static let connectionsPerAddress = Setting(
        "HANDLES_CONNECTIONS_PER_ADDRESS", "500",
        "Connections from one IPv4 address or one IPv6 network of 64 bits; further ones are closed at once. "
            + "Networks of 56 bits get 4 times, those of 48 bits 16 times as many, but at most half of all "
            + "connections. Trusted proxies and loopback have no limit.")
    static let inFlight = Setting("HANDLES_IN_FLIGHT", "2000", "Concurrent requests; further ones get 503.")
    static let requestTime = Setting(
        "HANDLES_REQUEST_TIME", "10s",
        "Time from the first to the last byte of a request; then it gets 408, and the connection is closed.")
    static let idleTime = Setting("HANDLES_IDLE_TIME", "60s", "How long an idle connection stays open.")
    static let sendTime = Setting(
        "HANDLES_SEND_TIME", "10s", "Write timeout of a response; then the connection is closed.")
    static let streamLife = Setting(
        "HANDLES_STREAM_LIFE", "15m",
        "How long a stream of a watched name stays open, at most 1d; clients reconnect by themselves. 0s ends "
            + "it after the first event.")
    static let addressBytes = Setting("HANDLES_ADDRESS_BYTES", "12288", "Size of a request's address (URL).")
    static let headerBytes = Setting(
        "HANDLES_HEADER_BYTES", "16384", "Size of all header fields of a request together.")
    static let headerFields = Setting("HANDLES_HEADER_FIELDS", "64", "Header fields of a request.")
    static let bodyBytes = Setting("HANDLES_BODY_BYTES", "262144", "Size of a request's body.")
    static let bodiesBytes = Setting(
        "HANDLES_BODIES_BYTES", "134217728", "Size of all request bodies in memory together; further requests get 503.")
    static let jsonDepth = Setting("HANDLES_JSON_DEPTH", "8", "Nesting depth of arrays and objects in a body.")
    static let batch = Setting("HANDLES_BATCH", "1000", "Names in one call of POST /v1/availability; at most 1000.")

    // MARK: Log and drain

    static let log = Setting("HANDLES_LOG", "text", "Format of the log: text, or json with one object a line.")
    static let logLevel = Setting(
        "HANDLES_LOG_LEVEL", "notice",
        "Lowest level that is logged: error, warning, notice, info (every request) or debug.")
    static let drain = Setting(
        "HANDLES_DRAIN", "3s",
        "After SIGTERM: how long /readyz answers 503 before the service stops accepting connections. Ctrl-C "
            + "skips it.")
    static let drainLimit = Setting(
        "HANDLES_DRAIN_LIMIT", "30s", "How long requests in progress may take to finish after that.")
}
