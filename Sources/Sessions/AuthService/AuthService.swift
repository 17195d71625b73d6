import Foundation
import HTTPLoading
public import Observation

/// The session of the signed-in person, for views. It is read and changed on the main actor only.
///
/// Every kind of sign-in creates a session in the same order. First its tokens are saved. Then `session`,
/// `currentSession` and `isAuthenticated` change in one turn of the main actor. Then the audit log gets its entry, and
/// the timer starts. So no observer sees `isAuthenticated` without `currentSession`. A sign-in that can't be saved
/// changes nothing.
///
/// ```swift
/// let auth = AuthService(backend: backend, storage: MemoryStorage()) { tokens in tokens.subject ?? "guest" }
/// await auth.restoreSession()
/// try await auth.signIn(email: "jane@example.com", password: password)
/// print(auth.isAuthenticated, auth.currentUser ?? "not loaded")
/// ```
@Observable @MainActor public final class AuthService<Profile: Sendable> {
    /// The person's profile: `.success(nil)` without a session. `.failure` gives the reason why the profile is not
    /// known, such as a missing connection; the person may still be signed in.
    public internal(set) var session: Loadable<Profile?> = .notInitiated
    /// The public facts of the session; nil without a session.
    public internal(set) var currentSession: Session?
    /// Whether there is a session. Its profile may not be loaded yet.
    public internal(set) var isAuthenticated = false

    /// The profile of the signed-in person; nil without a session, and while the profile is not loaded.
    public var currentUser: Profile? { session.value ?? nil }
    /// Whether the person is a guest without an account; false without a session.
    public var isAnonymous: Bool { currentSession?.isAnonymous ?? false }

    /// The tokens, for clients of services.
    public nonisolated let controller: SessionController

    private let backend: any AuthBackend
    let loadProfile: @MainActor @Sendable (AuthTokens) async throws -> Profile
    let unlock: (@Sendable () async throws -> Void)?
    private let logOutSteps: LogoutSteps
    private let timeout: Duration?
    private let timing: Timing
    private let audit: @MainActor (AuthEvent) -> Void

    /// Everything that compares the shown session with the controller's, or changes both. So no such change sees another
    /// one half done. Requests to the issuer and logout steps run outside.
    @ObservationIgnored let changes = TaskQueue()
    /// Counts sign-ins. Of two concurrent sign-ins, the one that began last wins.
    @ObservationIgnored private var signIns: UInt64 = 0
    /// Counts sign-outs. A sign-out ends running sign-ins, and a running restore begins again.
    @ObservationIgnored private(set) var signOuts: UInt64 = 0
    @ObservationIgnored var restoring: Task<Void, Never>?
    /// The stored session that the device's owner did not unlock.
    @ObservationIgnored var lockedSession: UUID?
    @ObservationIgnored private var timer: Task<Void, Never>?

    /// - Parameters:
    ///   - backend: signs people in, and refreshes and revokes their tokens.
    ///   - storage: keeps the session between launches.
    ///   - configuration: the other settings.
    ///   - loadProfile: loads the person's profile. If it throws, a sign-in fails, but an existing session stays. At a
    ///     start without a connection its tokens may have expired.
    public convenience init(
        backend: any AuthBackend, storage: any SessionStorage, configuration: AuthConfiguration = AuthConfiguration(),
        loadProfile: @escaping @MainActor @Sendable (AuthTokens) async throws -> Profile
    ) {
        let controller = SessionController(storage: storage, backend: backend, configuration: configuration.session)
        self.init(controller, backend, configuration, loadProfile)
    }

    package init(
        _ controller: SessionController, _ backend: any AuthBackend, _ configuration: AuthConfiguration,
        _ loadProfile: @escaping @MainActor @Sendable (AuthTokens) async throws -> Profile
    ) {
        self.controller = controller
        self.backend = backend
        timeout = configuration.timeout
        timing = Timing(configuration.session.clock)
        logOutSteps = LogoutSteps(configuration.logOutSteps)
        unlock = configuration.unlock
        audit = configuration.audit
        self.loadProfile = loadProfile
    }

    // MARK: Signing in

    /// Creates an account and signs in; throws as ``signIn(with:)`` does.
    public func signUp(email: String, password: String, username: String) async throws {
        try await signIn(with: .newAccount(email: email, password: password, username: username))
    }

    /// Signs in with a password; throws as ``signIn(with:)`` does.
    public func signIn(email: String, password: String) async throws {
        try await signIn(with: .password(email: email, password: password))
    }

    /// Signs in as a new guest; throws as ``signIn(with:)`` does.
    public func signInAnonymously() async throws { try await signIn(with: .anonymous) }

    /// Signs in with the answer of Apple's sheet. ``AppleNonce`` makes one with all that a backend needs.
    public func signInWithApple(_ credential: AppleCredential) async throws {
        try await signIn(with: .apple(credential))
    }

    /// Signs in with an identity token of Apple that was requested without a nonce.
    public func signInWithApple(idToken: String) async throws {
        try await signInWithApple(AppleCredential(idToken: idToken))
    }

    /// Signs a person in.
    /// - Throws: the error of the backend, the profile or the store; `SessionError.superseded` when another sign-in or
    ///   a sign-out began later. In each case the service is unchanged.
    public func signIn(with credential: Credential) async throws {
        let attempt = beginAttempt()
        let generation = await changes.run { [controller] in await controller.currentGeneration }
        do {
            let tokens = try await backend.tokens(for: credential)
            do {
                let profile = try await loadProfile(tokens)
                try await create(tokens, profile, credential.isAnonymous, attempt, generation)
            } catch {
                // The session was not created, so its tokens are revoked.
                await revoke(tokens)
                throw error
            }
        } catch {
            // Without an observer, the shown session may have ended unnoticed.
            if currentSession != nil { Task { await follow() } }
            throw error
        }
    }

    /// Creates a session from tokens that were obtained in another way.
    public func createSession(tokens: AuthTokens, profile: Profile, isAnonymous: Bool = false) async throws {
        try await create(tokens, profile, isAnonymous, beginAttempt(), nil)
    }

    private struct Attempt {
        let number: UInt64
        let signOuts: UInt64
    }

    private func beginAttempt() -> Attempt {
        signIns += 1
        return Attempt(number: signIns, signOuts: signOuts)
    }

    private func create(
        _ tokens: AuthTokens, _ profile: Profile, _ isAnonymous: Bool, _ attempt: Attempt, _ generation: UInt64?
    ) async throws {
        try await changes.run { [self] in
            await logOutSteps.ended(timing)
            guard attempt.number == signIns, attempt.signOuts == signOuts else { throw SessionError.superseded }
            let created = try await controller.beginSession(
                with: tokens, isAnonymous: isAnonymous, generation: generation)
            guard attempt.signOuts == signOuts else {
                await controller.clear(session: created.id)
                throw SessionError.superseded
            }
            // A sign-in that began later replaces this one if it succeeds.
            use(created, .success(profile), .signedIn(isAnonymous: isAnonymous))
        }
    }

    /// Makes a session of the controller the current one, in one turn of the main actor.
    func use(_ created: Session, _ profile: Loadable<Profile?>, _ event: AuthEvent) {
        lockedSession = nil
        session = profile
        currentSession = created
        isAuthenticated = true
        audit(event)
        startTimer(for: created)
    }

    // MARK: Signing out

    /// Signs out on this device, even when the network or the store fails. Then revokes the tokens, for at most five
    /// seconds.
    public func signOut() async { await signOut(.requested) }

    /// Deletes the account at the issuer, then signs out.
    /// - Throws: the issuer's error, or the reason why there is no token; nothing has changed then.
    public func deleteAccount() async throws {
        let (deleted, tokens) = try await controller.freshTokens()
        try await backend.deleteAccount(tokens)
        audit(.accountDeleted)
        // Another person may have signed in meanwhile.
        if currentSession?.id == deleted.id {
            await signOut()
        } else {
            await controller.clear(session: deleted.id)
        }
    }

    /// Asks the issuer to send the person a way to choose a new password. Throws the issuer's ``SessionError``, but not
    /// for an unknown address.
    public func resetPassword(email: String) async throws { try await backend.resetPassword(email: email) }

    private func signOut(_ reason: SignOutReason) async {
        signOuts += 1
        // In separate tasks, so that cancelling the caller, as closing a view does, doesn't stop a sign-out.
        let clearing = changes.start { [controller] in await controller.clear() }
        let steps = end(reason, after: clearing)
        await Task {
            await steps.value
            if let tokens = await clearing.value { await revoke(tokens) }
        }.value
    }

    /// Shows that there is no session, and starts the logout steps.
    /// - Parameter clearing: is awaited before the steps.
    @discardableResult
    func end(_ reason: SignOutReason, after clearing: Task<AuthTokens?, Never>? = nil) -> Task<Void, Never> {
        forget()
        audit(.signedOut(reason))
        return logOutSteps.start {
            _ = await clearing?.value
        } failed: { [self] name in
            await tell(.logOutStepFailed(name))
        }
    }

    func forget() {
        timer?.cancel()
        timer = nil
        isAuthenticated = false
        currentSession = nil
        session = .success(nil)
    }

    private func tell(_ event: AuthEvent) { audit(event) }

    private func revoke(_ tokens: AuthTokens) async {
        do throws(SessionError) {
            try await controller.revoke(tokens)
        } catch {
            audit(.revocationFailed(error))
        }
    }

    func startTimer(for session: Session) {
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
