public import Foundation
import HTTPLoading

/// The tokens of one person's session: stored, renewed by one request however many callers ask, and gone after sign-out.
///
/// A session belongs to a generation, which sign-in and sign-out raise. Tokens that a refresh brings for an older generation are
/// revoked and never used. Only a definite refusal of the issuer ends a session; without a connection, with an unreadable
/// store or a full disk it stays.
public actor SessionController {
    /// The numbers behind the rules, each with its reason.
    public struct Limits: Sendable {
        /// How long callers wait for a refresh. People give up sooner; issuers answer within a few seconds.
        public var refresh = Duration.seconds(30)
        /// How long before its end a token is renewed, so that it doesn't end on its way: at most half of its lifetime.
        public var early = Duration.seconds(60)
        /// Pauses after failed refreshes and saves: twice as long each time, from the first to the last.
        public var pauses = Duration.seconds(1)...Duration.seconds(60)
        /// How long an issuer may keep clients away with `Retry-After`.
        public var longestRetryAfter = Duration.seconds(3600)
        /// How long revoking tokens may take.
        public var revocation = Duration.seconds(5)
        /// How often the lock of the store is tried while another program renews the session.
        public var lockPause = Duration.milliseconds(50)

        public init() {}
    }

    /// A session in memory.
    struct Live {
        var session: StoredSession
        /// When the access token ends, by `timing`; nil if unknown.
        var endsAt: Duration?
        /// The session as it was read from the store or saved last.
        var storeHas: Data?
        var saving = Saving.done

        var tokens: AuthTokens { session.tokens }
    }

    /// The write that is left to do.
    enum Saving {
        case done
        /// Renewed tokens are saved over `storeHas` only.
        case renewal
        /// A sign-in is saved over any content.
        case signIn
    }

    /// The session in memory, if it is known.
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
    /// The device's clock, which may be wrong: it only guesses how old a token is after a start.
    let now: @Sendable () -> Date
    let report: @Sendable (SessionEvent) -> Void
    let states = Broadcast<SessionState>()

    var holding = Holding.unread
    var generation: UInt64 = 0
    var flight: Flight?
    var lastID: UInt64 = 0
    var refreshes: Backoff
    var writes: Backoff
    /// Sign-ins and sign-outs by this program. A session that ends by itself raises the generation alone.
    var actions: UInt64 = 0
    /// What is left to remove from the store.
    var removal: Removal?

    /// - Parameters:
    ///   - backend: renews and revokes tokens; without one an access token that has ended can't be renewed.
    ///   - clock: measures lifetimes, pauses and timeouts.
    ///   - now: the device's time of day.
    ///   - report: is called with each event, from any thread. No event holds a secret.
    public init(
        storage: any SessionStorage = MemoryStorage(), backend: (any AuthBackend)? = nil,
        clock: any Clock<Duration> = .continuous, limits: Limits = Limits(),
        now: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) {
        self.storage = storage
        self.backend = backend
        self.timing = Timing(clock)
        self.limits = limits
        self.now = now
        self.report = report
        refreshes = Backoff(limits.pauses)
        writes = Backoff(limits.pauses)
    }

    // MARK: Signing in and out

    /// Begins a session with tokens from elsewhere. If they can't be saved they are kept in memory and saved later.
    public func setTokens(_ tokens: AuthTokens) async {
        let problem = begin(Session(startedAt: now()), with: tokens, savedOnly: false)
        if let problem { report(.saveFailed(problem)) }
    }

    /// Begins a session whose tokens are stored for certain.
    /// - Parameter expected: the generation in which the sign-in began.
    /// - Throws: `.storage` when they were not saved, `.superseded` when another sign-in or a sign-out came before;
    ///   either way nothing has changed.
    @discardableResult
    public func beginSession(
        with tokens: AuthTokens, isAnonymous: Bool = false, generation expected: UInt64? = nil
    ) throws(SessionError) -> Session {
        settle()
        if let expected, expected != actions { throw .superseded }
        let facts = Session(startedAt: now(), isAnonymous: isAnonymous)
        if let problem = begin(facts, with: tokens, savedOnly: true) { throw .storage(problem) }
        return facts
    }

    /// Signs out here, at once, also when the store or the network fails.
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

    /// Makes tokens worthless at the issuer, or gives up after ``Limits/revocation``.
    public func revoke(_ tokens: AuthTokens) async throws(AuthError) {
        guard let backend else { return }
        let timing = timing, limit = limits.revocation
        // In a task of its own: cancelling the caller doesn't stop a revocation.
        let answer = Task {
            await firstResult { () -> Result<Void, AuthError> in
                do throws(AuthError) {
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

    /// A token to send with a request, renewed when it ends soon.
    /// - Parameter rejected: a token that was answered 401. If it is the present one it is renewed, once for all callers.
    public func token(rejected: String? = nil) async throws(SessionError) -> String {
        try await freshTokens(rejected: rejected).tokens.accessToken
    }

    /// All tokens, with an access token as ``token(rejected:)`` gives it.
    public func tokens() async throws(SessionError) -> AuthTokens { try await freshTokens().tokens }

    /// As ``token(rejected:)``, for services that take identity tokens: the id token, or the access token where the
    /// last refresh brought none.
    /// - Parameter session: whose token it must be; nil for the present session's. The token of another person would let them do
    ///   what this one has asked for.
    /// - Throws: `.superseded` also when another session is present.
    public func identityToken(rejected: String? = nil, of session: UUID? = nil) async throws(SessionError) -> String {
        let (facts, tokens) = try await freshTokens(rejected: rejected) { $0.identityToken }
        guard session == nil || session == facts.id else { throw .superseded }
        return tokens.identityToken
    }

    /// The access token, renewed when it ends soon.
    /// - Throws: `.noRefreshToken` also when there is no session.
    public func refreshTokenIfNeeded() async throws(SessionError) -> String {
        settle()
        if case .nothing = holding { throw .noRefreshToken }
        return try await token()
    }

    /// The access token, renewed when it ends soon; nil when there is none to use.
    public func currentAccessToken() async -> String? { try? await token() }

    /// The access token as it is, ended or not, without any request; nil without a session.
    public func getAccessToken() async -> String? {
        settle()
        return live?.tokens.accessToken
    }

    /// The session's facts; nil without a session.
    public var current: Session? {
        settle()
        return live?.session.facts
    }

    /// The session's facts and the state, as they are at one moment.
    var overview: (facts: Session?, state: SessionState) {
        settle()
        return (live?.session.facts, presentState)
    }

    public var state: SessionState {
        settle()
        return presentState
    }

    /// The state now, and from then on each new one. Every call gives a stream of its own, which keeps the newest value
    /// for a slow reader.
    public var stateStream: AsyncStream<SessionState> {
        settle()
        return states.stream(beginningWith: presentState)
    }

    /// Counts the sign-ins and sign-outs of this program. A sign-in that was begun in one generation has no effect in the next.
    public var currentGeneration: UInt64 { actions }

    /// How many callers wait for a refresh.
    var waiting: Int { flight?.waiters.count ?? 0 }

    /// How many streams of states are read now.
    var streams: Int { states.streams }
}

extension SessionController: CustomReflectable {
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
