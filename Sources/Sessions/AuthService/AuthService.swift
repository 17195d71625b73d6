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

    /// Counts sign-ins. Of two concurrent sign-ins, the one that began last wins.
    @ObservationIgnored private var attempt: UInt64 = 0
    /// Counts sign-outs. A sign-out ends running sign-ins and a running restore.
    @ObservationIgnored var signOuts: UInt64 = 0
    @ObservationIgnored private(set) var signInsUnderWay = 0
    /// Whether the controller's state has changed during a sign-in. The change is handled after the sign-in.
    @ObservationIgnored var hasMissedChange = false
    /// The running restore; its value is false when a sign-out ended it.
    @ObservationIgnored var restoring: Task<Bool, Never>?
    /// The last sign-out's change of the controller. It ends after the change of the views.
    @ObservationIgnored var clearing: Task<AuthTokens?, Never>?
    /// The stored session that the device's owner did not unlock.
    @ObservationIgnored var lockedSession: UUID?
    @ObservationIgnored private var timer: Task<Void, Never>?

    /// - Parameters:
    ///   - backend: signs people in, and refreshes and revokes their tokens.
    ///   - storage: keeps the session between launches.
    ///   - configuration: the other settings.
    ///   - loadProfile: loads the person's profile. If it throws, a sign-in fails, but an existing session stays.
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
        try await attemptSignIn { [self] attempt in
            let generation = await controller.currentGeneration
            let tokens = try await backend.tokens(for: credential)
            do {
                let profile = try await loadProfile(tokens)
                try await create(tokens, profile, credential.isAnonymous, attempt, generation)
            } catch {
                // The session was not created, so its tokens are revoked.
                await revoke(tokens)
                throw error
            }
        }
    }

    /// Creates a session from tokens that were obtained in another way.
    public func createSession(tokens: AuthTokens, profile: Profile, isAnonymous: Bool = false) async throws {
        try await attemptSignIn { [self] attempt in try await create(tokens, profile, isAnonymous, attempt, nil) }
    }

    private struct Attempt {
        let number: UInt64
        let signOuts: UInt64
    }

    private func attemptSignIn(_ work: @MainActor (Attempt) async throws -> Void) async throws {
        attempt += 1
        let begun = Attempt(number: attempt, signOuts: signOuts)
        signInsUnderWay += 1
        defer {
            signInsUnderWay -= 1
            // In a separate task, because it may run logout steps, which may wait for a sign-in.
            Task { await lookAgain() }
        }
        // A sign-out before this sign-in must not clear the new session.
        _ = await clearing?.value
        try await work(begun)
    }

    private func create(
        _ tokens: AuthTokens, _ profile: Profile, _ isAnonymous: Bool, _ attempt: Attempt, _ generation: UInt64?
    ) async throws {
        await logOutSteps.ended(timing)
        guard attempt.number == self.attempt, attempt.signOuts == signOuts else { throw SessionError.superseded }
        let created = try await controller.beginSession(
            with: tokens, isAnonymous: isAnonymous, generation: generation)
        guard attempt.signOuts == signOuts else {
            await controller.clear(session: created.id)
            throw SessionError.superseded
        }
        // A sign-in that began later replaces this one if it succeeds.
        use(created, profile, .signedIn(isAnonymous: isAnonymous))
    }

    /// Makes a session of the controller the current one, in one turn of the main actor.
    func use(_ created: Session, _ profile: Profile, _ event: AuthEvent) {
        lockedSession = nil
        session = .success(profile)
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
        forget()
        audit(.signedOut(reason))
        // In separate tasks, so that cancelling the caller, as closing a view does, doesn't stop a sign-out.
        let clearing = Task { await controller.clear() }
        self.clearing = clearing
        await Task {
            let tokens = await clearing.value
            await runLogOutSteps()
            if let tokens { await revoke(tokens) }
        }.value
    }

    /// Handles a session that has ended in the controller.
    func ended(_ reason: SignOutReason) async {
        forget()
        audit(.signedOut(reason))
        await runLogOutSteps()
    }

    func forget() {
        timer?.cancel()
        timer = nil
        isAuthenticated = false
        currentSession = nil
        session = .success(nil)
    }

    private func runLogOutSteps() async {
        await logOutSteps.run { [self] name in await tell(.logOutStepFailed(name)) }
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
