public import Foundation
public import HandleClient
import HandleRules
public import Observation
public import Sessions

/// Whether a person is signed in and has a profile: it decides the first screen of an app.
///
/// ```swift
/// let manager = AuthStateManager(backend: backend, storage: MemoryStorage(), registry: url, profiles: profiles)
/// await manager.checkAuthState()
/// if case .authenticatedNoProfile = manager.state { manager.onboarding?.start() }
/// ```
@Observable @MainActor public final class AuthStateManager {
    /// The first screen to show.
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
        /// The person's id, as `userID` of the configuration gives it.
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
    private let appleSheet: (@MainActor @Sendable (AppleNonce) async throws -> AppleCredential)?
    /// The profile that was stored in this session, after the account was loaded.
    private var created: (session: UUID, profile: UserProfile)?
    /// Kept while the service has signed the person out, so that the typed text is not lost.
    @ObservationIgnored private var latestOnboarding: (userID: String, model: OnboardingModel)?
    /// The claim of ``createProfile(handle:displayHandle:displayName:)`` with an unknown outcome.
    @ObservationIgnored var openClaim: OpenClaim?

    /// - Parameters:
    ///   - backend: signs people in, and refreshes and revokes their tokens.
    ///   - storage: keeps the session between launches.
    ///   - registry: the address of the handle registry.
    ///   - profiles: the app's store of profiles.
    ///   - configuration: the other settings.
    public init(
        backend: any AuthBackend, storage: any SessionStorage, registry: URL, profiles: ProfileStore,
        configuration: OnboardingConfiguration = OnboardingConfiguration()
    ) {
        self.registry = registry
        self.profiles = profiles
        transport = configuration.transport
        texts = configuration.texts
        clock = configuration.auth.session.clock
        appleSheet = configuration.appleSheet
        let userID = configuration.userID
        auth = AuthService(backend: backend, storage: storage, configuration: configuration.auth) { tokens in
            let id = try await userID(tokens)
            return Account(userID: id, profile: try await profiles.load(id))
        }
    }

    // MARK: The state

    /// The first screen to show, from the session and the profile.
    public var state: State {
        guard let account = auth.currentUser else {
            switch auth.session {
            case .success: return .unauthenticated
            case .failure(let error):
                // The session is stored but no longer usable. Without a connection its profile is not known.
                let code = (error as? SessionError)?.code
                return code == .noRefreshToken || code == .signedOut ? .unauthenticated : .initializing
            case .notInitiated, .loading: return .initializing
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
    /// - Throws: ``OnboardingError`` `.noAppleSheet` when none was given; the errors of the sheet and of the sign-in.
    public func signInWithApple() async throws {
        guard let appleSheet else { throw OnboardingError.noAppleSheet }
        try await auth.signInWithApple(appleSheet(AppleNonce()))
    }

    /// Signs out on this device, even without a connection, and drops all text typed in the onboarding.
    public func signOut() async {
        created = nil
        latestOnboarding = nil
        openClaim = nil
        await auth.signOut()
    }

    // MARK: The registry

    /// A client that makes calls for one person. Without a session of this person its calls fail, so it never acts for
    /// another person who has signed in since.
    func client(for userID: String) -> RegistryClient {
        RegistryClient(
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
                apiClient: RegistryClient(base: registry, transport: transport, clock: clock), clock: clock)
        }
        return HandleValidator(apiClient: client(for: userID), clock: clock)
    }

    /// The onboarding of the signed-in person; nil when no person is signed in. It stays the same until this person
    /// signs out or another person signs in.
    public var onboarding: OnboardingModel? {
        guard let userID = auth.currentUser?.userID else { return nil }
        if let latest = latestOnboarding, latest.userID == userID, latest.model.step != .done { return latest.model }
        let model = OnboardingModel(
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
