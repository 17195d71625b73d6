package import HandleRegistry

/// Where and how the service listens, and how much it lets callers have.
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 for any that is free.
    package var port = 8080
    /// How long a live check waits for the next keystroke.
    package var typingPause = Duration.milliseconds(300)
    /// How long a stream of watched names stays open; callers come again by themselves.
    package var streamLife = Duration.seconds(900)
    /// What one caller, and all of them together, may have.
    package var limits = ServerLimits()
    /// The proxies whose word is taken for a caller's address.
    package var trustedProxies: [AddressRange] = []
    /// Whose pages may read availability in a browser.
    package var pageOrigins = PageOrigins()
    /// Besides those, who may have any number of connections: this machine, where a proxy may run.
    var neighbours = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }
    /// What encrypts connections; nil when they are plain.
    package var tls: TransportSecurity?

    package init() {}
}

/// Everything there is only so much of. What is more is refused, waits or is cut off, as each says.
package struct ServerLimits: Sendable {
    /// Connections at most; more wait to be accepted.
    package var connections = 10_000
    /// Connections from one address, proxies and this machine apart; more are closed at once.
    package var connectionsPerAddress = 500
    /// Requests that are worked on at a time; more are told to come back.
    package var inFlight = 2_000
    /// From the first byte of a request to its last; the caller is told, and cut off.
    package var requestTime = Duration.seconds(10)
    /// Between two requests of a connection, and before its first; then it is closed.
    package var idleTime = Duration.seconds(60)
    /// How long a caller may leave an answer unread before the connection is cut.
    package var sendTime = Duration.seconds(10)
    /// The address of a request, in bytes: the longest name, person and owner fit, each byte of them written as `%F0`.
    package var addressBytes = 12 * 1024
    /// All header fields of a request together, and any one of them, in bytes.
    package var headerBytes = 16 * 1024
    /// Header fields of a request.
    package var headerFields = 64
    /// The body of a request, in bytes: a batch of 1,000 names with room for long ones.
    package var bodyBytes = 256 * 1024
    /// All bodies that are read or worked on, in bytes; more callers are told to come back.
    package var bodiesBytes = 128 * 1024 * 1024
    /// Arrays and objects within each other in a body.
    package var jsonDepth = 8
    /// Names in one call that asks about many.
    package var batch = 1000
    /// What callers without a key may ask from one address, generous to who types and slow for who copies; nil for as
    /// much as they like.
    package var anonymous = Rate(300, perSeconds: 300)
    /// What a person with an identity token may ask; nil for as much as they like.
    package var person = Rate(300, perSeconds: 300)
    /// What all callers may ask together; nil for as much as they like.
    package var global: Rate?
    /// Callers of each kind whose use is remembered at most; further addresses count by their network.
    package var rememberedCallers = 100_000

    package init() {}
}
