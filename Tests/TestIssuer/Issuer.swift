public import Foundation

/// An OpenID issuer on this machine, for tests of programs that sign people in. It has the authorization code flow with
/// PKCE, ES256 id tokens, rotating refresh tokens with reuse detection, revocation, and faults on demand. Any name is
/// accepted as a person.
public actor Issuer {
    public struct Options: Sendable {
        public var clientID = "app"
        /// For a client that is a server; nil for an app.
        public var clientSecret: String?
        /// Whether the secret is accepted in the form only, and not in `Authorization`.
        public var takesSecretInForm = false
        /// The allowed redirect URIs. On loopback addresses any port is allowed (RFC 8252, 7.3).
        public var redirectURIs = ["http://127.0.0.1/callback"]
        /// The lifetime of access and id tokens.
        public var lifetime = Duration.seconds(3600)
        /// How long a used refresh token is accepted again, for a client that lost the answer.
        public var grace = Duration.zero
        /// Whether a refresh brings a new refresh token.
        public var rotates = true
        /// Whether a refresh brings a new id token.
        public var refreshBringsIDToken = true
        /// The audience of access tokens; nil for the client's id.
        public var audience: String?
        /// Signs in every request as this person without showing the page; nil to show it.
        public var person: String?
        /// 0 for any free port.
        public var port = 0

        public init() {}
    }

    /// Counts of events since the start.
    public struct Counts: Sendable, Hashable {
        public var signIns = 0
        /// Refresh tokens that were exchanged for new tokens.
        public var refreshes = 0
        /// Refresh tokens that were used again. Each such use ended the session.
        public var reuses = 0
        /// Sessions that were ended by a revocation.
        public var revocations = 0

        public init(signIns: Int = 0, refreshes: Int = 0, reuses: Int = 0, revocations: Int = 0) {
            self.signIns = signIns
            self.refreshes = refreshes
            self.reuses = reuses
            self.revocations = revocations
        }
    }

    /// One sign-in and all of its tokens.
    struct Family {
        let person: String
        let scope: String
        var refreshToken: String?
        /// The refresh token before the present one, and when it was exchanged.
        var former: (token: String, at: Date)?
        var accessTokens: Set<String> = []
    }

    /// An authorization code.
    struct Code {
        let person: String
        let scope: String
        let nonce: String?
        let challenge: String
        let redirectURI: String
        let end: Date
        /// The family of tokens that it was exchanged for.
        var family: UInt64?
    }

    public nonisolated let url: URL
    public nonisolated let options: Options
    let key = SigningKey(id: "test-1")
    var families: [UInt64: Family] = [:]
    /// The family of each token that was ever issued.
    var familyOf: [String: UInt64] = [:]
    var codes: [String: Code] = [:]
    var faults: [Endpoint: [Fault]] = [:]
    private var isStopping = false
    private var held: [CheckedContinuation<Void, Never>] = []
    var lastID: UInt64 = 0
    var clockIsAhead = Duration.zero
    public internal(set) var counts = Counts()
    /// The number of requests to each endpoint, those that met a fault included.
    public internal(set) var requests: [Endpoint: Int] = [:]

    init(url: URL, options: Options) {
        self.url = url
        self.options = options
    }

    // MARK: For tests

    /// Queues faults: each of the next requests to the endpoint meets one.
    public func fail(_ endpoint: Endpoint, with faults: Fault...) { self.faults[endpoint, default: []] += faults }

    /// Removes all queued faults.
    public func heal() { faults = [:] }

    /// Continues the requests that a `hold` stopped.
    public func release() {
        for request in held { request.resume() }
        held = []
    }

    /// Sets the issuer's clock ahead of the machine's clock, or behind it with a negative value.
    public func setClock(ahead: Duration) { clockIsAhead = ahead }

    /// Signs a person in as the page would, without a browser.
    /// - Parameter request: the URL of the page, as the client made it.
    /// - Returns: the URL to which the browser is redirected.
    public func signIn(at request: URL, as person: String) throws -> URL {
        let answer = authorize(request.query(percentEncoded: true) ?? "", as: person)
        guard answer.status == 302, let location = answer.fields.first(where: { $0.0 == "Location" })?.1,
            let url = URL(string: location)
        else { throw Refused(text: String(decoding: answer.body, as: UTF8.self)) }
        return url
    }

    /// The issuer refused a sign-in with this page.
    public struct Refused: Error, CustomStringConvertible {
        let text: String
        public var description: String { text }
    }

    /// Ends all sessions of a person, as "sign out everywhere" does.
    public func endSessions(of person: String) { families = families.filter { $0.value.person != person } }

    /// Whether the session of the access token is open. Its `exp` is not checked.
    public func accepts(_ accessToken: String) -> Bool {
        familyOf[accessToken].flatMap { families[$0] }?.accessTokens.contains(accessToken) ?? false
    }

    /// The number of sessions.
    public var sessions: Int { families.count }

    // MARK: Inside

    var now: Date { Date().addingTimeInterval(clockIsAhead.inSeconds) }

    func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// The server stops when every request is answered, so from now on none is held.
    func stop() {
        isStopping = true
        release()
    }

    /// Counts a request, and takes the next fault of its endpoint. A held request is counted once `release()` would
    /// continue it.
    func nextFault(of endpoint: Endpoint) async -> Fault? {
        requests[endpoint, default: 0] += 1
        guard let due = faults[endpoint], !due.isEmpty else { return nil }
        let fault = faults[endpoint]?.removeFirst()
        if fault == .hold, !isStopping { await withCheckedContinuation { held.append($0) } }
        return fault
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
