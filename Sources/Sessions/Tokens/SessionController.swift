public import Foundation
import HTTPLoading

/// The tokens of one person's session: stored, refreshed with one request for all concurrent callers, and removed at
/// sign-out.
///
/// A session belongs to a generation, which sign-in and sign-out raise. If a refresh returns tokens for an older
/// generation, they are revoked and never used. Only a definite refusal of the issuer ends a session. It survives a
/// missing connection, an unreadable store and a full disk.
///
/// ```swift
/// let session = SessionController(storage: MemoryStorage(), backend: backend)
/// await session.setTokens(tokens)
/// let token = try await session.token()
/// let next = try await session.token(rejected: token)  // after a 401
/// ```
public actor SessionController {
    /// Limits, each with its reason.
    public struct Limits: Sendable {
        /// Timeout of a refresh for its callers. People give up sooner; issuers answer within a few seconds.
        public var refresh = Duration.seconds(30)
        /// How long before its end a token is refreshed, so that it doesn't expire in transit; at most half of its
        /// lifetime.
        public var early = Duration.seconds(60)
        /// The age of a token from which its rejection by a service means that the session has ended. A younger one is
        /// rejected for another reason, so a new sign-in does not help.
        public var new = Duration.seconds(300)
        /// Back-off after failed refreshes and saves: the pause doubles from the lower bound up to the upper bound.
        public var pauses = Duration.seconds(1)...Duration.seconds(60)
        /// The longest `Retry-After` of an issuer that is honoured.
        public var longestRetryAfter = Duration.seconds(3600)
        /// Timeout of revoking tokens.
        public var revocation = Duration.seconds(5)
        /// Interval of attempts to take the store's lock while another program refreshes the session.
        public var lockPause = Duration.milliseconds(50)

        /// The limits with their default values.
        public init() {}
    }

    /// The settings of a controller, each with a default.
    public struct Configuration: Sendable {
        /// The timeouts and pauses.
        public var limits = Limits()
        /// Measures lifetimes, pauses and timeouts.
        public var clock: any Clock<Duration> = .continuous
        /// The device's time of day.
        public var now: @Sendable () -> Date = { Date() }
        /// Called with each event, from any thread. Events contain no secrets.
        public var report: @Sendable (SessionEvent) -> Void = { _ in }

        /// The settings with their default values.
        public init() {}
    }

    /// A session in memory.
    struct Live {
        var session: StoredSession
        /// When the access token expires, by `timing`; nil if unknown.
        var endsAt: Duration?
        /// The session as it was last read from or saved to the store.
        var storeHas: Data?
        var saving = Saving.done

        var tokens: AuthTokens { session.tokens }
    }

    /// The pending write.
    enum Saving {
        case done
        /// Refreshed tokens may only replace `storeHas`.
        case renewal
        /// A sign-in replaces any content.
        case signIn
    }

    /// The session in memory, as far as it is known.
    enum Holding {
        /// Not read yet, or not readable.
        case unread
        case nothing(SignOutReason)
        case live(Live)
    }

    let storage: any SessionStorage
    let backend: (any AuthBackend)?
    let timing: Timing
    let limits: Limits
    /// The device's clock, which may be wrong. It is only used to estimate the age of a token after a launch.
    let now: @Sendable () -> Date
    let report: @Sendable (SessionEvent) -> Void
    let states = Broadcast<SessionState>()

    var holding = Holding.unread
    var generation: UInt64 = 0
    var flight: Flight?
    var lastID: UInt64 = 0
    var refreshes: Backoff
    var writes: Backoff
    /// Sign-ins and sign-outs by this program. A session that ends by itself raises only the generation.
    var actions: UInt64 = 0
    /// The content that must still be removed from the store.
    var removal: Removal?

    /// - Parameters:
    ///   - storage: keeps the session between launches.
    ///   - backend: refreshes and revokes tokens; without one an expired access token can't be refreshed.
    ///   - configuration: the other settings.
    public init(
        storage: any SessionStorage = MemoryStorage(), backend: (any AuthBackend)? = nil,
        configuration: Configuration = Configuration()
    ) {
        self.storage = storage
        self.backend = backend
        timing = Timing(configuration.clock)
        limits = configuration.limits
        now = configuration.now
        report = configuration.report
        refreshes = Backoff(limits.pauses)
        writes = Backoff(limits.pauses)
    }

    // MARK: Signing in and out

    /// Begins a session with tokens that were obtained elsewhere. If they can't be saved, they are kept in memory and
    /// saved later.
    public func setTokens(_ tokens: AuthTokens) async {
        let problem = begin(Session(startedAt: now()), with: tokens, savedOnly: false)
        if let problem { report(.saveFailed(problem)) }
    }

    /// Begins a session after its tokens have been saved.
    /// - Parameters:
    ///   - tokens: as the issuer returned them.
    ///   - isAnonymous: whether the person is a guest without an account.
    ///   - expected: the ``currentGeneration`` in which the sign-in began; nil for any.
    /// - Throws: `.notSaved` and other errors of the store when they were not saved, `.superseded` when another sign-in
    ///   or a sign-out happened first; in each case nothing has changed.
    @discardableResult
    public func beginSession(
        with tokens: AuthTokens, isAnonymous: Bool = false, generation expected: UInt64? = nil
    ) throws(SessionError) -> Session {
        settle()
        if let expected, expected != actions { throw .superseded }
        let facts = Session(startedAt: now(), isAnonymous: isAnonymous)
        if let problem = begin(facts, with: tokens, savedOnly: true) { throw problem }
        return facts
    }

    /// Signs out on this device, at once, even when the store or the network fails.
    /// - Returns: the tokens of the session that ended, for ``revoke(_:)``.
    @discardableResult
    public func clear() -> AuthTokens? {
        settle()
        actions += 1
        let ended = holding
        end(.requested)
        switch ended {
        case .live(let live):
            remove(live.saving == .signIn ? .anything : .session(live.session.id), evenUnread: true)
        case .unread: remove(.anything)
        case .nothing: if let removal { remove(removal, evenUnread: true) }
        }
        guard case .live(let live) = ended else { return nil }
        return live.tokens
    }

    /// Ends the session with this id, unless another one has begun.
    @discardableResult
    func clear(session id: UUID) -> AuthTokens? { live?.session.id == id ? clear() : nil }

    /// Revokes tokens at the issuer, with the timeout ``Limits/revocation``.
    public func revoke(_ tokens: AuthTokens) async throws(SessionError) {
        guard let backend else { return }
        let timing = timing, limit = limits.revocation
        // In a separate task: cancelling the caller doesn't stop a revocation.
        let answer = Task {
            await firstResult { () -> Result<Void, SessionError> in
                do throws(SessionError) {
                    return .success(try await backend.revoke(tokens))
                } catch {
                    return .failure(error)
                }
            } orOf: {
                try? await timing.sleep(limit)
                return .failure(.unreachable(retryAfter: nil))
            }
        }
        try (await answer.value ?? .failure(.cancelled)).get()
    }

    // MARK: Asking

    /// A token to send with a request, refreshed if it expires soon.
    /// - Parameter rejected: a token that got a 401. If it is the current one it is refreshed, once for all callers.
    public func token(rejected: String? = nil) async throws(SessionError) -> String {
        try await freshTokens(rejected: rejected).tokens.accessToken
    }

    /// All tokens, with an access token as from ``token(rejected:)``.
    public func tokens() async throws(SessionError) -> AuthTokens { try await freshTokens().tokens }

    /// Like ``token(rejected:)``, for services that take identity tokens: the id token, or the access token if the last
    /// refresh returned no id token.
    /// - Parameters:
    ///   - rejected: a token that got a 401; nil at the first attempt.
    ///   - session: the session that the token must belong to; nil for the current one. A token of another person would
    ///     make this person's request in that person's name.
    /// - Throws: `.superseded`, also when another session is current.
    public func identityToken(rejected: String? = nil, of session: UUID? = nil) async throws(SessionError) -> String {
        let (facts, tokens) = try await freshTokens(rejected: rejected) { $0.identityToken }
        guard session == nil || session == facts.id else { throw .superseded }
        return tokens.identityToken
    }

    /// The access token, refreshed if it expires soon.
    /// - Throws: `.noRefreshToken`, also when there is no session.
    public func refreshTokenIfNeeded() async throws(SessionError) -> String {
        settle()
        if case .nothing = holding { throw .noRefreshToken }
        return try await token()
    }

    /// The access token, refreshed if it expires soon; nil when there is none to use.
    public func currentAccessToken() async -> String? { try? await token() }

    /// The access token, expired or not, without any request; nil without a session.
    public func getAccessToken() async -> String? { storedTokens?.accessToken }

    /// The tokens, expired or not.
    var storedTokens: AuthTokens? {
        settle()
        return live?.tokens
    }

    /// The session's facts; nil without a session.
    public var current: Session? {
        settle()
        return live?.session.facts
    }

    /// The session's facts and the state, consistent with each other.
    var overview: (facts: Session?, state: SessionState) {
        settle()
        return (live?.session.facts, presentState)
    }

    /// Whether a person is signed in. Reads the store until that has succeeded once, and sends no request.
    public var state: SessionState {
        settle()
        return presentState
    }

    /// The current state, and then each new one. Every access returns a new stream, in which a slow reader gets the
    /// newest value.
    public var stateStream: AsyncStream<SessionState> {
        settle()
        return states.stream(beginningWith: presentState)
    }

    /// Counts the sign-ins and sign-outs of this program. A sign-in that began in one generation has no effect in the
    /// next.
    public var currentGeneration: UInt64 { actions }

    /// The number of callers waiting for a refresh.
    var waiting: Int { flight?.waiters.count ?? 0 }

    /// The number of open state streams.
    var streams: Int { states.streams }
}

extension SessionController: CustomReflectable {
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
