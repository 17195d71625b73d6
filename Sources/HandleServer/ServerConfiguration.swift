package import HandleRegistry

/// Addresses, timing and limits of the server.
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 for any free port.
    package var port = 8080
    /// How long a live check waits for the next keystroke.
    package var typingPause = Duration.milliseconds(300)
    /// How long a stream of a watched name, or of the feed, stays open; clients reconnect by themselves.
    package var streamLife = Duration.seconds(900)
    package var limits = ServerLimits()
    /// Proxies that are trusted to set `X-Forwarded-For`.
    package var trustedProxies: [AddressRange] = []
    /// Origins of pages that may read availability in a browser.
    package var pageOrigins = PageOrigins()
    /// Networks without a connection limit, besides the trusted proxies: loopback, where a proxy may run.
    var neighbours = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }
    /// Nil for connections without TLS.
    package var tls: TransportSecurity?

    package init() {}
}

/// Every resource limit of the server.
package struct ServerLimits: Sendable {
    /// Open connections; further ones wait in the listen backlog.
    package var connections = 10_000
    /// Connections from one address, except trusted proxies and loopback; further ones are closed at once.
    package var connectionsPerAddress = 500
    /// Concurrent requests; further ones get 503.
    package var inFlight = 2_000
    /// Time from the first to the last byte of a request. Then the client gets 408 and the connection is closed.
    package var requestTime = Duration.seconds(10)
    /// Time before the first request and between requests; then the connection is closed.
    package var idleTime = Duration.seconds(60)
    /// Write timeout of a response; then the connection is closed.
    package var sendTime = Duration.seconds(10)
    /// The request's URL, in bytes. The longest name, person and owner fit, with each byte written as `%F0`.
    package var addressBytes = 12 * 1024
    /// All header fields of a request together, and each of them, in bytes.
    package var headerBytes = 16 * 1024
    /// Header fields of a request.
    package var headerFields = 64
    /// The body of a request, in bytes: a batch of 1,000 names, with room for long ones.
    package var bodyBytes = 256 * 1024
    /// All bodies in memory together, in bytes; further requests get 503.
    package var bodiesBytes = 128 * 1024 * 1024
    /// Nesting depth of arrays and objects in a body.
    package var jsonDepth = 8
    /// Names in one batch request.
    package var batch = 1000
    /// Rate limit of callers without a key, for each address: generous for typing, slow for scraping. Nil for no limit.
    package var anonymous = Rate(300, perSeconds: 300)
    /// Rate limit of a person with an identity token; nil for no limit.
    package var person = Rate(300, perSeconds: 300)
    /// Rate limit of all callers together; nil for no limit.
    package var global: Rate?
    /// Maximum number of callers of each kind in memory; further addresses share the quota of their network.
    package var rememberedCallers = 100_000

    package init() {}
}
