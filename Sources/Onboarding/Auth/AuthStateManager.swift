public import Foundation
public import HandleClient
import HandleRules
public import Observation
public import Sessions

/// Whether a person is signed in and has a profile: it decides the first screen of an app.
@Observable @MainActor public final class AuthStateManager {
    public enum State: Sendable, Hashable {
        /// Unknown. After a check this means that the profile can't be loaded now; ``AuthStateManager/error`` has the
        /// reason.
        case initializing
        /// Show the welcome screen.
        case unauthenticated
        /// Show the ``AuthStateManager/onboarding``.
        case authenticatedNoProfile(userId: String)
        /// Show the app.
        case authenticated(profile: UserProfile)
    }

    /// A signed-in person.
    public struct Account: Sendable, Hashable {
        public let userID: String
        /// Nil before the onboarding.
        public let profile: UserProfile?
    }

    /// The session, for other ways to sign in.
    public let auth: AuthService<Account>

    let profiles: ProfileStore
    private let registry: URL
    private let transport: any Transport
    private let texts: OnboardingTexts
    private let clock: any Clock<Duration>
    private let appleIDToken: (@MainActor () async throws -> String)?
    /// The profile that was stored in this session, after the account was loaded.
    private var created: (session: UUID, profile: UserProfile)?
    /// Kept while the service has signed the person out, so that the typed text is not lost.
    @ObservationIgnored private var latestOnboarding: (userID: String, model: Onboarding)?
    /// The claim of ``createProfile(handle:displayHandle:displayName:)`` with an unknown outcome.
    @ObservationIgnored var openClaim: OpenClaim?

    /// - Parameters:
    ///   - controller: holds the tokens; give it the same backend, so that it can refresh them.
    ///   - registry: the address of the handle registry.
    ///   - profiles: the app's store of profiles.
    ///   - userID: the person's id for the tokens of a sign-in; by default the subject of the identity token.
    ///   - appleIDToken: shows the system's sheet of Sign in with Apple, and returns its identity token.
    ///   - audit: called with each event of the session. Events contain no secrets.
    public init(
        controller: SessionController, backend: any AuthBackend, registry: URL, profiles: ProfileStore,
        transport: any Transport = URLSessionTransport(),
        userID: @escaping @Sendable (AuthTokens) async throws -> String = AuthStateManager.subject,
        appleIDToken: (@MainActor () async throws -> String)? = nil, logOutSteps: [LogoutStep] = [],
        texts: OnboardingTexts = OnboardingTexts(), clock: any Clock<Duration> = .continuous,
        audit: @escaping @MainActor (AuthEvent) -> Void = { _ in }
    ) {
        self.registry = registry
        self.profiles = profiles
        self.transport = transport
        self.texts = texts
        self.clock = clock
        self.appleIDToken = appleIDToken
        auth = AuthService(
            controller: controller, backend: backend, clock: clock, logOutSteps: logOutSteps, audit: audit
        ) { tokens in
            let id = try await userID(tokens)
            return Account(userID: id, profile: try await profiles.load(id))
        }
    }

    /// The subject of the identity token.
    public nonisolated static func subject(of tokens: AuthTokens) throws -> String {
        guard let subject = tokens.subject else { throw AuthStateError.noSubject }
        return subject
    }

    // MARK: The state

    public var state: State {
        guard let account = auth.currentUser else {
            switch auth.session {
            case .success: return .unauthenticated
            // The session is stored but no longer usable.
            case .failure(SessionError.noRefreshToken), .failure(SessionError.signedOut): return .unauthenticated
            // Without a connection there is a session, but its profile is not known.
            case .notInitiated, .loading, .failure: return .initializing
            }
        }
        if let profile = account.profile ?? createdProfile { return .authenticated(profile: profile) }
        return .authenticatedNoProfile(userId: account.userID)
    }

    private var createdProfile: UserProfile? {
        created.flatMap { $0.session == auth.currentSession?.id ? $0.profile : nil }
    }

    /// The reason why the state is unknown.
    public var error: (any Error)? { auth.session.error }

    /// Restores the session when the app starts; call it again after it failed.
    public func checkAuthState() async { await auth.restoreSession() }

    /// Follows sign-outs elsewhere until the task is cancelled.
    public func observeAuthState() async { await auth.observeAuthState() }

    // MARK: Signing in and out

    /// Signs in with the system's sheet.
    /// - Throws: ``AuthStateError/noAppleSheet`` when none was given; the errors of the sheet and of the sign-in.
    public func signInWithApple() async throws {
        guard let appleIDToken else { throw AuthStateError.noAppleSheet }
        try await signInWithApple(idToken: appleIDToken())
    }

    /// - Parameter idToken: from the system's sheet.
    public func signInWithApple(idToken: String) async throws { try await auth.signInWithApple(idToken: idToken) }

    public func signOut() async {
        created = nil
        latestOnboarding = nil
        openClaim = nil
        await auth.signOut()
    }

    // MARK: The registry

    /// A client that makes calls for one person. Without a session of this person its calls fail, so it never acts for
    /// another person who has signed in since.
    func client(for userID: String) -> HandleClient {
        HandleClient(
            base: registry,
            credential: .person { [weak self] rejected in
                guard let self else { throw SessionError.signedOut }
                return try await token(of: userID, rejected: rejected)
            }, transport: transport, clock: clock)
    }

    private func token(of userID: String, rejected: String?) async throws -> String {
        guard auth.currentUser?.userID == userID, let session = auth.currentSession?.id else {
            throw SessionError.signedOut
        }
        return try await auth.controller.identityToken(rejected: rejected, of: session)
    }

    /// Returns a new validator, for one field. Before a sign-in, it sends no credential.
    public func getValidator() -> HandleValidator {
        guard let userID = auth.currentUser?.userID else {
            return HandleValidator(
                apiClient: HandleClient(base: registry, transport: transport, clock: clock), clock: clock)
        }
        return HandleValidator(apiClient: client(for: userID), clock: clock)
    }

    /// The onboarding of the signed-in person; nil when no person is signed in. It stays the same until this person
    /// signs out or another person signs in.
    public var onboarding: Onboarding? {
        guard let userID = auth.currentUser?.userID else { return nil }
        if let latest = latestOnboarding, latest.userID == userID, latest.model.step != .done { return latest.model }
        let model = Onboarding(
            userID: userID, client: client(for: userID), profiles: ownProfiles, texts: texts, clock: clock
        ) { [weak self] profile in self?.note(profile) }
        latestOnboarding = (userID, model)
        return model
    }

    /// The store, limited to the profile of the signed-in person: it may use that person's session.
    var ownProfiles: ProfileStore {
        let profiles = profiles
        return ProfileStore(load: profiles.load) { [weak self] profile in
            guard await self?.auth.currentUser?.userID == profile.userId else { throw SessionError.signedOut }
            try await profiles.save(profile)
        }
    }

    /// Records that a profile has been stored.
    func note(_ profile: UserProfile) {
        guard let session = auth.currentSession?.id, auth.currentUser?.userID == profile.userId else { return }
        created = (session, profile)
    }
}
