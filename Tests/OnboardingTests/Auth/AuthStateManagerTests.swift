import Foundation
import HandleClient
import HandleServer
import NIOConcurrencyHelpers
import Onboarding
import Sessions
import TestService
import TestSupport
import Testing

/// An issuer that puts the person named by Apple's sheet into its identity tokens.
private actor SheetBackend: AuthBackend {
    private let rest = MemoryBackend()
    /// The person of each refresh token.
    private var people: [String: String] = [:]
    private var serial = 0

    func tokens(for credential: Credential) async throws(SessionError) -> AuthTokens {
        guard case .apple(let apple) = credential else { throw .unsupported }
        return identified(try await rest.tokens(for: credential), as: apple.idToken)
    }

    func refresh(_ refreshToken: String) async throws(SessionError) -> AuthTokens {
        let tokens = try await rest.refresh(refreshToken)
        return people[refreshToken].map { identified(tokens, as: $0) } ?? tokens
    }

    private func identified(_ tokens: AuthTokens, as person: String) -> AuthTokens {
        var tokens = tokens
        serial += 1
        tokens.idToken = UnsignedToken.make(for: person, serial: serial)
        if let token = tokens.refreshToken { people[token] = person }
        return tokens
    }

    func revoke(_ tokens: AuthTokens) async throws(SessionError) { try await rest.revoke(tokens) }
    func resetPassword(email: String) async throws(SessionError) { throw .unsupported }
    func deleteAccount(_ tokens: AuthTokens) async throws(SessionError) { throw .unsupported }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct AuthStateManagerTests {
    /// A phone with an app: its storage, and the service that it calls.
    struct Phone: Sendable {
        let place: Place
        let storage = MemoryStorage()
        let profiles = Profiles()
        let isStoreDown = NIOLockedValueBox(false)
        let fate = NIOLockedValueBox<@Sendable (TransportRequest) -> Fate>({ _ in .passes })

        @MainActor func launch(sheet: String? = "jane") -> AuthStateManager {
            let backend = SheetBackend()
            let store = profiles.store
            var configuration = OnboardingConfiguration()
            configuration.transport = ScriptedTransport.faulty { [fate] _, request in
                fate.withLockedValue(\.self)(request)
            }
            if let sheet {
                configuration.appleSheet = { $0.credential(idToken: sheet, authorizationCode: "code") }
            }
            return AuthStateManager(
                backend: backend, storage: storage, registry: place.base,
                profiles: ProfileStore { [isStoreDown] id in
                    if isStoreDown.withLockedValue(\.self) { throw Profiles.Full() }
                    return try await store.load(id)
                } save: {
                    try await store.save($0)
                },
                configuration: configuration)
        }
    }

    private func withPhone(
        tokens: TokenVerifier? = UnsignedToken.verifier(),
        _ body: @escaping @Sendable @MainActor (Phone) async throws -> Void
    ) async throws {
        try await Place.run(policy: .unlimited, tokens: tokens) { place in try await body(Phone(place: place)) }
    }

    private func createProfile(_ app: AuthStateManager) async throws {
        try await app.createProfile(handle: "janeroe", displayHandle: "JaneRoe", displayName: "Jane Roe")
    }

    private let jane = UserProfile(userId: "jane", handle: "janeroe", displayHandle: "JaneRoe", displayName: "Jane Roe")

    @Test func stateFollowsSignInProfileAndSignOut() async throws {
        try await withPhone { phone in
            let app = phone.launch()
            #expect(app.state == .initializing)
            await app.checkAuthState()
            #expect(app.state == .unauthenticated && app.error == nil && app.onboarding == nil)
            try await app.signInWithApple()
            #expect(app.state == .authenticatedNoProfile(userId: "jane"))
            try await app.createProfile(handle: "janeroe", displayHandle: "JaneRoe", displayName: " Jane Roe ")
            #expect(app.state == .authenticated(profile: jane))
            #expect(phone.profiles.all == ["jane": jane])
            #expect(try await phone.place.admin.record(of: "janeroe")?.owner == UnsignedToken.owner("jane"))

            let next = phone.launch()
            await next.checkAuthState()
            #expect(next.state == .authenticated(profile: jane))
            await next.signOut()
            #expect(next.state == .unauthenticated)
        }
    }

    @Test func stateStaysInitializingWhileTheProfileCannotBeLoaded() async throws {
        try await withPhone { phone in
            try await phone.launch().signInWithApple()
            phone.isStoreDown.withLockedValue { $0 = true }
            let app = phone.launch()
            await app.checkAuthState()
            // Whether the person has a profile is unknown, so the state is neither signed out nor without a profile.
            #expect(app.state == .initializing && app.error is Profiles.Full)
            phone.isStoreDown.withLockedValue { $0 = false }
            await app.checkAuthState()
            #expect(app.state == .authenticatedNoProfile(userId: "jane") && app.error == nil)
        }
    }

    @Test(arguments: [
        ("janeroe", "_JaneRoe", "Jane", OnboardingError.malformedHandle(.leadingUnderscore)),
        ("janeroe", "JohnDoe", "Jane", .displayMismatch), ("", "JohnDoe", "Jane", .displayMismatch),
        ("janeroe", "JaneRoe", " ", .malformedDisplayName(.empty)),
    ])
    func createProfileRefusesInvalidInput(
        _ handle: String, _ display: String, _ name: String, _ expected: OnboardingError
    ) async throws {
        try await withPhone { phone in
            let app = phone.launch()
            await #expect(throws: OnboardingError.notSignedIn) { try await createProfile(app) }
            try await app.signInWithApple()
            await #expect(throws: expected) {
                try await app.createProfile(handle: handle, displayHandle: display, displayName: name)
            }
        }
    }

    @Test func createProfileThrowsTheReasonForATakenName() async throws {
        try await withPhone { phone in
            _ = try await phone.place.admin.claim("janeroe", for: .id("john"))
            let app = phone.launch()
            try await app.signInWithApple()
            let error = await #expect(throws: HandleClientError.self) { try await createProfile(app) }
            #expect(error?.reasons.map(\.code) == [.taken])
            try await app.createProfile(handle: "jane_roe2", displayHandle: "jane_roe2", displayName: "Jane")
            let profile = UserProfile(
                userId: "jane", handle: "jane_roe2", displayHandle: "jane_roe2", displayName: "Jane")
            #expect(app.state == .authenticated(profile: profile))
        }
    }

    @Test func lostAnswerToAClaimLeadsToOneHandle() async throws {
        try await withPhone { phone in
            let app = phone.launch()
            try await app.signInWithApple()
            let claims = NIOLockedValueBox(0)
            // The first claim takes effect and its answer is lost; later claims don't arrive.
            phone.fate.withLockedValue {
                $0 = { request in
                    guard request.isClaim else { return .passes }
                    let number = claims.withLockedValue { count in
                        count += 1
                        return count
                    }
                    return number == 1 ? .answerLost : .answer(.problem(403, "missing_scope"))
                }
            }
            await #expect(throws: HandleClientError.self) { try await createProfile(app) }
            phone.fate.withLockedValue { $0 = { $0.isClaim ? .answer(.problem(401, "wrong_key")) : .passes } }
            for _ in 0..<2 {
                await #expect(throws: HandleClientError.self) { try await createProfile(app) }
            }
            phone.fate.withLockedValue { $0 = { _ in .passes } }
            for _ in 0..<2 {
                await #expect(throws: OnboardingError.hasHandle("JaneRoe")) {
                    try await app.createProfile(
                        handle: "john_doe2", displayHandle: "john_doe2", displayName: "Jane Roe")
                }
            }
            try await createProfile(app)
            #expect(app.state == .authenticated(profile: jane))
            #expect(try await phone.place.admin.handles(of: .id(UnsignedToken.owner("jane"))).count == 1)
        }
    }

    @Test func failedSaveLeadsToNoSecondHandle() async throws {
        try await withPhone { phone in
            let app = phone.launch()
            try await app.signInWithApple()
            phone.profiles.fail(1)
            await #expect(throws: Profiles.Full.self) { try await createProfile(app) }
            // Also after a restart.
            for app in [app, phone.launch()] {
                await app.checkAuthState()
                await #expect(throws: OnboardingError.hasHandle("JaneRoe")) {
                    try await app.createProfile(handle: "jane_2", displayHandle: "jane_2", displayName: "Jane Roe")
                }
            }
            try await createProfile(app)
            #expect(app.state == .authenticated(profile: jane))
        }
    }

    /// A profile store may use the session of the signed-in person, so it must not get the profile of another person.
    @Test func profileIsNotStoredWhileAnotherPersonIsSignedIn() async throws {
        try await withPhone { phone in
            let app = phone.launch(sheet: nil)
            try await app.auth.signInWithApple(idToken: "jane")
            phone.profiles.fail(.max)
            let onboarding = try #require(app.onboarding)
            try await onboarding.hold("JaneRoe")
            onboarding.submit()
            try await eventually("it can't be stored") { phone.profiles.saves > 0 }
            // The service ends the session, and another person signs in.
            await app.auth.controller.clear()
            await app.auth.restoreSession()
            try await app.auth.signInWithApple(idToken: "john")
            phone.profiles.recover()
            try await eventually("the next save is refused") { onboarding.needsSignIn }
            #expect(phone.profiles.all.isEmpty && app.state == .authenticatedNoProfile(userId: "john"))
        }
    }

    @Test func deletedProfileIsGoneAtTheNextSignIn() async throws {
        try await withPhone { phone in
            let app = phone.launch()
            try await app.signInWithApple()
            try await createProfile(app)
            await app.auth.signOut()
            phone.profiles.remove("jane")
            try await app.signInWithApple()
            #expect(app.state == .authenticatedNoProfile(userId: "jane"))
        }
    }

    /// An onboarding that one person began must not claim a name for the next person.
    @Test func nothingIsClaimedForAnotherPerson() async throws {
        try await withPhone { phone in
            let app = phone.launch(sheet: nil)
            try await app.auth.signInWithApple(idToken: "jane")
            let onboarding = try #require(app.onboarding)
            try await onboarding.hold("JaneRoe")
            await app.signOut()
            try await app.auth.signInWithApple(idToken: "john")
            onboarding.submit()
            try await eventually("it is refused") { onboarding.machine.failure == .signedOut }
            #expect(try await phone.place.admin.handles(of: .id(UnsignedToken.owner("john"))).isEmpty)
            #expect(app.onboarding !== onboarding && app.state == .authenticatedNoProfile(userId: "john"))
        }
    }

    /// Nil for a service without tokens.
    @Test(
        arguments: [
            (nil, .tokensNotAccepted), (.unknownIssuer, .unknownIssuer), (.otherAudience, .newTokenRejected),
            (.expired, .newTokenRejected),
        ] as [(TokenFault?, CallFailure.Misconfiguration)])
    func registryThatDoesNotAcceptTheTokensDoesNotAskForASignIn(
        _ fault: TokenFault?, _ expected: CallFailure.Misconfiguration
    ) async throws {
        let tokens = fault.map { UnsignedToken.verifier(refusing: $0) }
        try await withPhone(tokens: tokens) { phone in
            let app = phone.launch()
            for _ in 0..<2 {
                try await app.signInWithApple()
                let onboarding = try #require(app.onboarding)
                onboarding.start()
                try await eventually("the refusal is shown") { onboarding.message != nil }
                #expect(onboarding.machine.failure == .misconfigured(expected) && !onboarding.needsSignIn)
                #expect(onboarding.message == onboarding.texts.misconfigured(expected))
                await app.signOut()
            }
        }
    }

    /// The service ends the session, and the same person signs in again.
    @Test func typedTextIsKeptUntilTheSamePersonSignsInAgain() async throws {
        try await withPhone { phone in
            let app = phone.launch()
            try await app.signInWithApple()
            let onboarding = try #require(app.onboarding)
            onboarding.start()
            onboarding.field.text = "JaneRoe"
            let observer = Task { await app.observeAuthState() }
            await app.auth.controller.clear()
            try await eventually("it is noticed") { app.state == .unauthenticated }
            try await app.signInWithApple()
            #expect(app.onboarding === onboarding && onboarding.field.text == "JaneRoe")
            onboarding.next()
            try await eventually("it is held for the new session") { onboarding.step == .displayName }
            observer.cancel()
        }
    }

    @Test func signInWithAppleThrowsWithoutASheet() async throws {
        try await withPhone { phone in
            await #expect(throws: OnboardingError.noAppleSheet) { try await phone.launch(sheet: nil).signInWithApple() }
        }
    }

    @Test func personIsTheSubjectOfTheToken() async throws {
        let app = AuthStateManager(
            backend: MemoryBackend(), storage: MemoryStorage(),
            registry: try #require(URL(string: "https://handles.example")), profiles: Profiles().store)
        let tokens = AuthTokens(accessToken: "opaque")
        await #expect(throws: OnboardingError.noSubject) { try await OnboardingConfiguration().userID(tokens) }
        try await app.auth.signInWithApple(idToken: "jane")
        #expect(app.state == .authenticatedNoProfile(userId: "1"))
    }

    @Test func validatorActsForTheSignedInPerson() async throws {
        try await withPhone { phone in
            let app = phone.launch()
            let validator = app.getValidator()
            #expect(await validator.validateFormat("ab") == .tooShort)
            #expect(try await validator.checkAvailability("janeroe").available)
            try await app.signInWithApple()
            // To its owner a held name is available.
            _ = try await phone.place.admin.hold("janeroe", for: .id(UnsignedToken.owner("jane")))
            #expect(try await app.getValidator().checkAvailability("janeroe").available)
            #expect(try await !validator.checkAvailability("janeroe").available)
        }
    }
}
