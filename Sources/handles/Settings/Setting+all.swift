import HandleRegistry
import HandleServer
import Logging

extension Setting {
    /// Every setting, one entry each. The table in docs/operations.md and Packaging/handles.conf are made from this list
    /// (`make docs`).
    static let all = database + addresses + policy + callers + connections + requests + operation

    private static let patience = Duration.milliseconds(100) ... .seconds(3600)

    private static let database = [
        Setting(
            "DATABASE_URL", \.databaseURL, .conninfo,
            "Connection string or URL of PostgreSQL, passed to libpq unchanged; several hosts work. "
                + "Empty: a private PostgreSQL."),
        Setting(
            "DATABASE_URL_FILE", \.databaseURLFile, .optionalText,
            "File with that string, such as a secret of a container; set only one of the two."),
        Setting(
            "HANDLES_READ_URL", \.readURL, .conninfo,
            "The same for a replica of that database, which serves checks. Claims always use the "
                + "primary. A check may miss claims of the last two seconds; the header `Age` says how old "
                + "the answer may be."),
        Setting("HANDLES_DATA", \.data, .text, "Folder of the private PostgreSQL and of the key made for it."),
        Setting(
            "HANDLES_DATABASE_CONNECTIONS", \.databaseConnections, .integer(1...1000),
            "Size of the connection pool. A few connections for each core of the database work best."),
        Setting(
            "HANDLES_DATABASE_WAITERS", \.databaseWaiters, .integer(0...100_000),
            "Requests that may wait for a connection; further ones get 503."),
        Setting(
            "HANDLES_DATABASE_TIME", \.databaseTime, .duration(.seconds(3) ... .seconds(60)),
            "Time limit of a request's database work, including the wait for a connection. A "
                + "statement gets four fifths of it."),
        Setting(
            "HANDLES_HINTS_BYTES", \.hintsBytes, .integer(0...17_179_869_184),
            "Memory of the hints which names are in use: 2 bytes a name. With them, a taken name and its suggestions "
                + "take one look-up. 0 for no hints."),
    ]

    private static let addresses = [
        Setting("HANDLES_HOST", \.server.host, .text, "Address to listen on."),
        Setting(
            "HANDLES_PORT", \.server.port, .integer(0...65535), option: "--port",
            "Port to listen on; 0 for any free port."),
        Setting(
            "HANDLES_ADMIN_KEY", \.adminKey, .optionalText,
            "First access key, with every scope: at least 16 printable ASCII characters without "
                + "spaces. Empty: the private PostgreSQL gets one at its first start."),
        Setting(
            "HANDLES_ADMIN_KEY_FILE", \.adminKeyFile, .optionalText,
            "File with that key; set only one of the two."),
        Setting(
            "HANDLES_TOKEN_ISSUERS", \.tokenIssuers, .optionalText, needs: .identityTokens,
            "JSON file of trusted issuers of identity tokens (tokens.md); needs the trait "
                + "IdentityTokens."),
    ]

    private static let policy = [
        Setting(
            "HANDLES_PER_OWNER", \.policy.perOwner, .integer(0...1_000_000, or: "0 for no limit"),
            "Handles an owner may claim; 0 for no limit. A lower limit takes no handle away."),
        Setting(
            "HANDLES_QUARANTINE", \.policy.quarantine, .duration(.zero ... .days(3650)),
            "How long a released name is kept for its former owner; 0s frees it at once."),
        Setting(
            "HANDLES_KEPT_NAMES", \.policy.keptNames, .integer(0...1000, or: "0 for no limit"),
            "With this many names in quarantine an owner can't get a further one until the first is free again; 0 for "
                + "no limit. The way back to one of them is always open."),
        Setting(
            "HANDLES_HOLD", \.policy.hold, .duration(Policy.holdRange),
            "Duration of a hold when the request names none; at most 1h."),
        Setting(
            "HANDLES_HOLD_PAUSE", \.policy.holdPause, .duration(.zero ... .days(1)),
            "How long after the end of a hold its owner can't hold the same name again. The owner can "
                + "claim it at once."),
        Setting(
            "HANDLES_LOOKALIKES", \.policy.lookalikes, .choice(Policy.Lookalikes.allCases),
            "Names whose look-alikes are refused. protected: names that are reserved, claimed from a "
                + "reservation, held or quarantined. strict: every name in use."),
        Setting(
            "HANDLES_WORDS_OFF", \.policy.wordsOff, .categories,
            "Built-in categories of reserved words that have no effect, separated by commas, such as offensive. "
                + "Words of the locked core always have an effect."),
        Setting(
            "HANDLES_FEED", \.feed, .secondsOrOff(upTo: .days(365)),
            "How long the feed keeps its events, such as 7d; 0s turns it off. The service that starts writes it into the "
                + "database; without this setting it stays as it is there, at first off."),
        Setting(
            "HANDLES_TYPING_PAUSE", \.server.typingPause, .duration(.zero ... .seconds(5)),
            "How long a live check waits for the next keystroke; at most 5s."),
    ]

    private static let callers = [
        Setting(
            "HANDLES_ANONYMOUS_LIMIT", \.server.limits.anonymous, .rate,
            "Names that callers without a credential may ask about, from one IPv4 address or one IPv6 "
                + "network of 64 bits. Networks of 56 bits get 4 times, those of 48 bits 16 times as many. "
                + "none: no limit."),
        Setting(
            "HANDLES_PERSON_LIMIT", \.server.limits.person, .rate,
            "Names that a person with an identity token may ask about, from all addresses together. "
                + "none: no limit."),
        Setting(
            "HANDLES_GLOBAL_LIMIT", \.server.limits.global, .rate,
            "Requests of all callers together; further ones get 503."),
        Setting(
            "HANDLES_REMEMBERED_CALLERS", \.server.limits.rememberedCallers, .integer(16...100_000_000),
            "Callers of each kind whose quota is kept in memory. Beyond that, new addresses share the "
                + "quota of their network, and new people share quotas."),
        Setting(
            "HANDLES_TRUSTED_PROXIES", \.server.trustedProxies, .networks,
            "Networks of trusted proxies, separated by commas. X-Forwarded-For from other peers is "
                + "ignored."),
        Setting(
            "HANDLES_PAGE_ORIGINS", \.server.pageOrigins, .origins,
            "Origins such as https://app.example, separated by commas, whose pages may read "
                + "availability in a browser, and make the calls of a person with that person's token (CORS)."),
    ]

    private static let connections = [
        Setting(
            "HANDLES_CONNECTIONS", \.server.limits.connections, .integer(1...1_000_000),
            "Open connections; further ones wait in the listen backlog."),
        Setting(
            "HANDLES_CONNECTIONS_PER_ADDRESS", \.server.limits.connectionsPerAddress, .integer(1...1_000_000),
            "Connections from one IPv4 address or one IPv6 network of 64 bits; further ones are "
                + "closed at once. Networks of 56 bits get 4 times, those of 48 bits 16 times as many, but "
                + "at most half of all connections. Trusted proxies and loopback have no limit."),
        Setting(
            "HANDLES_IN_FLIGHT", \.server.limits.inFlight, .integer(1...1_000_000),
            "Concurrent requests; further ones get 503."),
        Setting(
            "HANDLES_REQUEST_TIME", \.server.limits.requestTime, .duration(patience),
            "Time from the first to the last byte of a request; then it gets 408, and the connection "
                + "is closed."),
        Setting(
            "HANDLES_IDLE_TIME", \.server.limits.idleTime, .duration(patience),
            "How long an idle connection stays open."),
        Setting(
            "HANDLES_SEND_TIME", \.server.limits.sendTime, .duration(patience),
            "Write timeout of a response; then the connection is closed."),
        Setting(
            "HANDLES_STREAM_LIFE", \.server.streamLife, .duration(.zero ... .days(1)),
            "How long a stream of a watched name, or of the feed, stays open, at most 1d; clients reconnect by "
                + "themselves. 0s ends it after the first event, or the first events."),
    ]

    private static let requests = [
        Setting(
            "HANDLES_ADDRESS_BYTES", \.server.limits.addressBytes, .integer(256...65536),
            "Size of a request's address (URL)."),
        Setting(
            "HANDLES_HEADER_BYTES", \.server.limits.headerBytes, .integer(1024...1_048_576),
            "Size of all header fields of a request together."),
        Setting(
            "HANDLES_HEADER_FIELDS", \.server.limits.headerFields, .integer(8...1000),
            "Header fields of a request."),
        Setting(
            "HANDLES_BODY_BYTES", \.server.limits.bodyBytes, .integer(1024...67_108_864),
            "Size of a request's body."),
        Setting(
            "HANDLES_BODIES_BYTES", \.server.limits.bodiesBytes, .integer(1024...1_099_511_627_776),
            "Size of all request bodies in memory together; further requests get 503."),
        Setting(
            "HANDLES_JSON_DEPTH", \.server.limits.jsonDepth, .integer(2...100),
            "Nesting depth of arrays and objects in a body."),
        Setting(
            "HANDLES_BATCH", \.server.limits.batch, .integer(1...Registry.longestBatch),
            "Names in one call of POST /v1/availability, and names and owners in one of POST /v1/handles/resolve; at most "
                + "1000."),
    ]

    private static let operation = [
        Setting(
            "HANDLES_TLS_CERTIFICATE", \.tlsCertificate, .optionalText, needs: .tls,
            "File with the certificate chain (PEM). With it and the key the service speaks TLS; needs "
                + "the trait TLS."),
        Setting(
            "HANDLES_TLS_KEY", \.tlsKey, .optionalText, needs: .tls,
            "File with the private key of the certificate (PEM)."),
        Setting(
            "HANDLES_LOG", \.log, .choice(Settings.LogFormat.allCases),
            "Format of the log: text, or json with one object a line."),
        Setting(
            "HANDLES_LOG_LEVEL", \.logLevel, .choice([.error, .warning, .notice, .info, .debug]),
            "Lowest level that is logged: error, warning, notice, info (every request) or debug."),
        Setting(
            "HANDLES_DRAIN", \.drain, .duration(.zero ... .seconds(600)),
            "After SIGTERM: how long /readyz answers 503 before the service stops accepting "
                + "connections. Ctrl-C skips it."),
        Setting(
            "HANDLES_DRAIN_LIMIT", \.drainLimit, .duration(.seconds(1) ... .seconds(600)),
            "How long requests in progress may take to finish after that."),
    ]
}

extension Duration {
    fileprivate static func days(_ count: Int) -> Duration { .seconds(count * 86400) }
}
