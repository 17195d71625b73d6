/// A setting: what it is called, what it is when nobody sets it, and what for.
struct Setting: Sendable {
    let name: String
    /// As text; empty for none.
    let usual: String
    let meaning: String

    init(_ name: String, _ usual: String, _ meaning: String) {
        self.name = name
        self.usual = usual
        self.meaning = meaning
    }

    /// Every setting whose name begins with `HANDLES_`: others with that beginning are refused, or a misspelt one would
    /// go unnoticed. The table in docs/operations.md is this one.
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
        "DATABASE_URL", "", "A connection string or URL for libpq, several hosts allowed; none: a private PostgreSQL.")
    static let readURL = Setting("HANDLES_READ_URL", "", "The same of a replica, which checks are read from.")
    static let data = Setting("HANDLES_DATA", ".handles", "The folder of the private PostgreSQL.")
    static let databaseConnections = Setting(
        "HANDLES_DATABASE_CONNECTIONS", "16", "Connections to the database: a few for each of its cores do best.")
    static let databaseWaiters = Setting(
        "HANDLES_DATABASE_WAITERS", "1024", "Requests that may wait for one of them; more are told to come back.")
    static let databaseTime = Setting(
        "HANDLES_DATABASE_TIME", "5s",
        "How long a request may take in the database, the wait for a connection included; a statement four fifths of it."
    )

    // MARK: Who calls

    static let host = Setting("HANDLES_HOST", "127.0.0.1", "The address to listen on.")
    static let port = Setting("HANDLES_PORT", "8080", "The port to listen on; 0 for any that is free.")
    static let adminKey = Setting(
        "HANDLES_ADMIN_KEY", "",
        "A first key with every scope, 16 characters or more; none: the private PostgreSQL gets one at its first start."
    )
    static let adminKeyFile = Setting("HANDLES_ADMIN_KEY_FILE", "", "A file with that key.")
    static let tokenIssuers = Setting(
        "HANDLES_TOKEN_ISSUERS", "", "A file that lists whose identity tokens are believed; see docs/tokens.md.")
    static let tlsCertificate = Setting(
        "HANDLES_TLS_CERTIFICATE", "", "A file with the certificate chain (PEM): then the service speaks TLS.")
    static let tlsKey = Setting("HANDLES_TLS_KEY", "", "The file with its private key (PEM).")
    static let trustedProxies = Setting(
        "HANDLES_TRUSTED_PROXIES", "",
        "Networks of proxies, with commas between, whose X-Forwarded-For is believed; all others' is ignored.")

    static let pageOrigins = Setting(
        "HANDLES_PAGE_ORIGINS", "",
        "Origins such as https://app.example, with commas between, whose pages may read availability in a browser; never with "
            + "credentials.")

    // MARK: Who gets a name

    static let perOwner = Setting("HANDLES_PER_OWNER", "1", "Handles of an owner; 0 for no limit.")
    static let quarantine = Setting("HANDLES_QUARANTINE", "30d", "How long nobody else gets a name that was given up.")
    static let hold = Setting("HANDLES_HOLD", "10m", "How long a hold lasts that does not say how long.")
    static let holdPause = Setting(
        "HANDLES_HOLD_PAUSE", "10m", "How long an owner can't hold a name again after a hold has ended.")
    static let lookalikes = Setting(
        "HANDLES_LOOKALIKES", "protected",
        "Which names may have no look-alikes: reserved, held and quarantined ones, or (strict) all.")
    static let typingPause = Setting(
        "HANDLES_TYPING_PAUSE", "300ms", "How long a live check waits for the next keystroke.")

    // MARK: How much callers may ask

    static let anonymousLimit = Setting(
        "HANDLES_ANONYMOUS_LIMIT", "300/5m",
        "Names that may be asked about from one address without a key, or from one IPv6 network: of 64 bits so many, of 56 "
            + "bits 4 and of 48 bits 16 times as many; none for no limit."
    )
    static let personLimit = Setting(
        "HANDLES_PERSON_LIMIT", "300/5m",
        "Names that a person with an identity token may ask about, wherever they are; none for no limit.")
    static let globalLimit = Setting(
        "HANDLES_GLOBAL_LIMIT", "none", "Requests of all callers together; what is more is told to come back.")
    static let rememberedCallers = Setting(
        "HANDLES_REMEMBERED_CALLERS", "100000",
        "Callers of each kind whose use is remembered; while there are more, further addresses count by their network.")
    static let connections = Setting("HANDLES_CONNECTIONS", "10000", "Connections at most; more wait to be accepted.")
    static let connectionsPerAddress = Setting(
        "HANDLES_CONNECTIONS_PER_ADDRESS", "500",
        "Connections from one address, or from one IPv6 network: of 64 bits so many, of 56 bits 4 and of 48 bits 16 times as "
            + "many, but at most half of all; more are closed at once. Proxies and this machine have no limit."
    )
    static let inFlight = Setting(
        "HANDLES_IN_FLIGHT", "2000", "Requests that are worked on at a time; more are told to come back.")
    static let requestTime = Setting(
        "HANDLES_REQUEST_TIME", "10s", "From the first byte of a request to its last; then the caller is cut off.")
    static let idleTime = Setting("HANDLES_IDLE_TIME", "60s", "How long a connection stays open without a request.")
    static let sendTime = Setting(
        "HANDLES_SEND_TIME", "10s", "How long an answer may wait to be read; then the caller is cut off.")
    static let streamLife = Setting(
        "HANDLES_STREAM_LIFE", "15m", "How long a stream of watched names stays open; callers come again by themselves."
    )
    static let addressBytes = Setting("HANDLES_ADDRESS_BYTES", "12288", "The address (URL) of a request.")
    static let headerBytes = Setting("HANDLES_HEADER_BYTES", "16384", "All header fields of a request together.")
    static let headerFields = Setting("HANDLES_HEADER_FIELDS", "64", "Header fields of a request.")
    static let bodyBytes = Setting("HANDLES_BODY_BYTES", "262144", "The body of a request.")
    static let bodiesBytes = Setting(
        "HANDLES_BODIES_BYTES", "134217728", "All bodies in memory together; more callers are told to come back.")
    static let jsonDepth = Setting("HANDLES_JSON_DEPTH", "8", "Arrays and objects within each other in a body.")
    static let batch = Setting("HANDLES_BATCH", "1000", "Names in one call that asks about many.")

    // MARK: What operators see

    static let log = Setting("HANDLES_LOG", "text", "How the log is written: text, or json with an object a line.")
    static let logLevel = Setting(
        "HANDLES_LOG_LEVEL", "notice", "The least that is logged: error, warning, notice, info (each request) or debug."
    )
    static let drain = Setting(
        "HANDLES_DRAIN", "3s",
        "After SIGTERM: how long /readyz fails before no new connection is taken. Ctrl-C doesn't wait.")
    static let drainLimit = Setting(
        "HANDLES_DRAIN_LIMIT", "30s", "How long requests in progress may take to end after that.")
}
