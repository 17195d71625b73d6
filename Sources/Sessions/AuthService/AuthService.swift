import Foundation
public import Observation

/// The session of the signed-in person, for views: all of it is read and changed on the main actor.
///
/// A session is created in one order for every way to sign in: its tokens are saved, then `session`, `currentSession`
/// and `isAuthenticated` change in one turn of the main actor, then the audit log is told, and at last the timer is
/// started. So no observer sees `isAuthenticated` without `currentSession`. A sign-in that can't be saved changes nothing.
@Observable @MainActor public final class AuthService<Profile: Sendable> {
    /// The person's profile: nil in `.success` without a session. `.failure` says why the profile is not known, for
    /// example without a connection; the person may be signed in then.
    public private(set) var session: Loadable<Profile?> = .notInitiated
    /// The session's facts; nil without a session.
    public private(set) var currentSession: Session?
    /// Whether there is a session. Its profile may not be loaded yet.
    public private(set) var isAuthenticated = false

    public var currentUser: Profile? { session.value ?? nil }
    public var isAnonymous: Bool { currentSession?.isAnonymous ?? false }

    /// The tokens, for clients of services.
    public nonisolated let controller: SessionController

    private let backend: any AuthBackend
    private let loadProfile: @Sendable (AuthTokens) async throws -> Profile
    private let unlock: (@Sendable () async throws -> Void)?
    private let logOutSteps: [LogoutStep]
    private let timeout: Duration?
    private let timing: Timing
    private let audit: @MainActor (AuthEvent) -> Void

    /// Counts sign-ins, sign-outs and restores. Only the last one that was begun takes effect.
    @ObservationIgnored private var attempt: UInt64 = 0
    @ObservationIgnored private var signInsUnderWay = 0
    @ObservationIgnored private var timer: Task<Void, Never>?

    /// - Parameters:
    ///   - controller: keeps the tokens; it should have the same backend, to renew them.
    ///   - unlock: asks the device's owner before a stored session is used, such as by their face. When it throws the
    ///     session stays, locked.
    ///   - timeout: how long a session may last in this start of the program; nil for no end.
    ///   - loadProfile: gets the person's profile. An error of it stops a sign-in, and ends no session.
    public init(
        controller: SessionController, backend: any AuthBackend, timeout: Duration? = nil,
        clock: any Clock<Duration> = .continuous, logOutSteps: [LogoutStep] = [],
        unlock: (@Sendable () async throws -> Void)? = nil, audit: @escaping @MainActor (AuthEvent) -> Void = { _ in },
        loadProfile: @escaping @Sendable (AuthTokens) async throws -> Profile
    ) {
        self.controller = controller
        self.backend = backend
        self.timeout = timeout
        self.timing = Timing(clock)
        self.logOutSteps = logOutSteps
        self.unlock = unlock
        self.audit = audit
        self.loadProfile = loadProfile
    }

    // MARK: Signing in

    public func signUp(email: String, password: String, username: String) async throws {
        try await signIn(with: .newAccount(email: email, password: password, username: username))
    }

    public func signIn(email: String, password: String) async throws {
        try await signIn(with: .password(email: email, password: password))
    }

    public func signInAnonymously() async throws { try await signIn(with: .anonymous) }

    /// - Parameter idToken: from the system's sheet.
    public func signInWithApple(idToken: String) async throws { try await signIn(with: .apple(idToken: idToken)) }

    /// Signs a person in.
    /// - Throws: the error of the backend, the profile or the store; `SessionError.superseded` when another sign-in or a
    ///   sign-out was begun later. Either way nothing has changed here.
    public func signIn(with credential: Credential) async throws {
        let attempt = nextAttempt()
        signInsUnderWay += 1
        defer { signInsUnderWay -= 1 }
        let generation = await controller.currentGeneration
        let tokens = try await backend.tokens(for: credential)
        do {
            let profile = try await loadProfile(tokens)
            try await create(
                tokens, profile, isAnonymous: credential.isAnonymous, attempt: attempt, generation: generation)
        } catch {
            // The session was not created, so these tokens are not needed.
            await revoke(tokens)
            throw error
        }
    }

    /// Creates a session from tokens that came another way.
    public func createSession(tokens: AuthTokens, profile: Profile, isAnonymous: Bool = false) async throws {
        let attempt = nextAttempt()
        signInsUnderWay += 1
        defer { signInsUnderWay -= 1 }
        try await create(tokens, profile, isAnonymous: isAnonymous, attempt: attempt, generation: nil)
    }

    private func create(
        _ tokens: AuthTokens, _ profile: Profile, isAnonymous: Bool, attempt: UInt64, generation: UInt64?
    ) async throws {
        guard attempt == self.attempt else { throw SessionError.superseded }
        let created = try await controller.beginSession(
            with: tokens, isAnonymous: isAnonymous, generation: generation)
        guard attempt == self.attempt else {
            await controller.clear(session: created.id)
            throw SessionError.superseded
        }
        use(created, profile, .signedIn(isAnonymous: isAnonymous))
    }

    /// Makes a stored session the present one, in one turn.
    private func use(_ created: Session, _ profile: Profile, _ event: AuthEvent) {
        session = .success(profile)
        currentSession = created
        isAuthenticated = true
        audit(event)
        startTimer(for: created)
    }

    // MARK: Signing out

    /// Signs out here, even when the network or the store fails. Then revokes the tokens, for at most five seconds.
    public func signOut() async { await signOut(.requested) }

    /// Deletes the account at the issuer, then signs out.
    /// - Throws: the issuer's error, or why there is no token; nothing has changed then.
    public func deleteAccount() async throws {
        let tokens = try await controller.tokens()
        try await backend.deleteAccount(tokens)
        audit(.accountDeleted)
        await signOut()
    }

    public func resetPassword(email: String) async throws { try await backend.resetPassword(email: email) }

    private func signOut(_ reason: SignOutReason) async {
        _ = nextAttempt()
        forget()
        audit(.signedOut(reason))
        // In a task of its own: cancelling the caller, as a closed view does, doesn't stop a sign-out.
        await Task {
            let tokens = await controller.clear()
            await runLogOutSteps()
            if let tokens { await revoke(tokens) }
        }.value
    }

    private func forget() {
        timer?.cancel()
        timer = nil
        isAuthenticated = false
        currentSession = nil
        session = .success(nil)
    }

    private func runLogOutSteps() async {
        for step in logOutSteps {
            do {
                try await step.run()
            } catch {
                audit(.logOutStepFailed(step.name))
            }
        }
    }

    private func revoke(_ tokens: AuthTokens) async {
        do throws(AuthError) {
            try await controller.revoke(tokens)
        } catch {
            audit(.revocationFailed(error))
        }
    }

    // MARK: Between starts

    /// Restores the stored session: `session` is `.loading`, then the profile, nil without a session, or the reason why
    /// the profile is not known. Without a connection the person stays signed in; call it again later.
    public func restoreSession() async {
        let attempt = nextAttempt()
        if currentSession == nil { session = .loading }
        do {
            try await unlock?()
        } catch {
            if attempt == self.attempt { session = .failure(error) }
            return
        }
        do {
            let tokens = try await controller.tokens()
            let profile = try await loadProfile(tokens)
            let stored = await controller.current
            guard attempt == self.attempt else { return }
            if let stored { use(stored, profile, .restored) } else { forget() }
        } catch SessionError.signedOut {
            guard attempt == self.attempt else { return }
            if currentSession == nil { forget() } else { await ended(.remote) }
        } catch {
            let stored = await controller.current
            guard attempt == self.attempt else { return }
            session = .failure(error)
            currentSession = stored
            isAuthenticated = stored != nil
        }
    }

    /// Follows what happens to the session elsewhere: a refresh that is refused, another program's sign-out, tokens that
    /// were set on the controller. Runs until the task is cancelled.
    public func observeAuthState() async {
        for await state in await controller.stateStream {
            let present = await controller.current
            guard signInsUnderWay == 0, present?.id != currentSession?.id else { continue }
            if present != nil {
                await restoreSession()
            } else if case .signedOut(let reason) = state {
                await ended(reason)
            }
        }
    }

    /// The session has ended in the controller.
    private func ended(_ reason: SignOutReason) async {
        _ = nextAttempt()
        forget()
        audit(.signedOut(reason))
        await runLogOutSteps()
    }

    private func nextAttempt() -> UInt64 {
        attempt += 1
        return attempt
    }

    private func startTimer(for session: Session) {
        timer?.cancel()
        guard let timeout else { return }
        timer = Task { [weak self, timing] in
            guard (try? await timing.sleep(timeout)) != nil else { return }
            await self?.timeOut(session.id)
        }
    }

    private func timeOut(_ id: UUID) async {
        if currentSession?.id == id { await signOut(.timedOut) }
    }
}

extension Credential {
    fileprivate var isAnonymous: Bool {
        if case .anonymous = self { true } else { false }
    }
}
