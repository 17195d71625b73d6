import Foundation
import NIOConcurrencyHelpers
import Observation
import TestSupport
import Testing

@testable import Sessions

@MainActor @Suite struct AuthServiceTests {
    let storage = FaultyStorage()
    let backend = GatedBackend()
    let controller: SessionController
    let events = NIOLockedValueBox<[AuthEvent]>([])
    /// The saves and the audited events, in order.
    private let record = NIOLockedValueBox<[String]>([])
    /// The reason why profiles can't be loaded.
    let profileFault = NIOLockedValueBox<SessionError?>(nil)

    init() {
        controller = SessionController(storage: storage, backend: backend, clock: ManualClock())
        storage.state.withLockedValue { $0.onSave = { [record] in record.withLockedValue { $0.append("save") } } }
    }

    /// By default the profile of a person is the access token of the sign-in.
    func service(
        _ controller: SessionController? = nil, logOutSteps: [LogoutStep] = [],
        clock: any Clock<Duration> = .continuous, timeout: Duration? = nil,
        unlock: (@Sendable () async throws -> Void)? = nil,
        loadProfile: (@Sendable (AuthTokens) async throws -> String)? = nil
    ) -> AuthService<String> {
        var configuration = AuthConfiguration()
        configuration.session.clock = clock
        configuration.timeout = timeout
        configuration.logOutSteps = logOutSteps
        configuration.unlock = unlock
        configuration.audit = { [events, record] event in
            events.withLockedValue { $0.append(event) }
            record.withLockedValue { $0.append("audit") }
        }
        return AuthService(
            controller ?? self.controller, backend, configuration,
            loadProfile ?? { [profileFault] tokens in
                if let fault = profileFault.withLockedValue(\.self) { throw fault }
                return tokens.accessToken
            })
    }

    /// The next start of the program, with the same store.
    private func restarted(unlock: (@Sendable () async throws -> Void)? = nil) -> AuthService<String> {
        service(SessionController(storage: storage, backend: backend), unlock: unlock)
    }

    /// Makes the issuer refuse the present session.
    func endRemotely() async {
        await backend.fail(.refused(code: "invalid_grant"))
        _ = try? await controller.token(rejected: controller.getAccessToken())
    }

    enum Way: CaseIterable {
        case signUp, password, anonymous, apple
    }

    private func signIn(_ auth: AuthService<String>, by way: Way) async throws {
        switch way {
        case .signUp: try await auth.signUp(email: "jane@example.com", password: "secret", username: "jane")
        case .password:
            let account = Credential.newAccount(email: "jane@example.com", password: "secret", username: "jane")
            _ = try await backend.tokens(for: account)
            try await auth.signIn(email: "jane@example.com", password: "secret")
        case .anonymous: try await auth.signInAnonymously()
        case .apple: try await auth.signInWithApple(idToken: "identity")
        }
    }

    @Test(arguments: Way.allCases) func sessionIsAlwaysCreatedInTheSameOrder(_ way: Way) async throws {
        let clock = RecordingClock { [record] in record.withLockedValue { $0.append("timer") } }
        let auth = service(clock: clock, timeout: .seconds(60))
        let torn = NIOLockedValueBox(0)
        watch({ _ = auth.session }) { record.withLockedValue { $0.append("session") } }
        watch({ _ = auth.currentSession }) { record.withLockedValue { $0.append("currentSession") } }
        watch({ _ = auth.isAuthenticated }) {
            MainActor.preconditionIsolated()
            record.withLockedValue { $0.append("isAuthenticated") }
            MainActor.assumeIsolated { if auth.currentSession == nil { torn.withLockedValue { $0 += 1 } } }
        }
        try await signIn(auth, by: way)
        try await eventually("the timer is started") { record.withLockedValue { $0.last == "timer" } }
        #expect(
            record.withLockedValue { $0 }
                == ["save", "session", "currentSession", "isAuthenticated", "audit", "timer"])
        #expect(torn.withLockedValue { $0 } == 0)
        #expect(await controller.getAccessToken() == auth.currentUser)
        #expect(auth.isAuthenticated)
        #expect(auth.isAnonymous == (way == .anonymous))
        #expect(events.withLockedValue(\.self) == [.signedIn(isAnonymous: way == .anonymous)])
    }

    @Test func failedSignInChangesNothing() async throws {
        let auth = service()
        await #expect(throws: SessionError.refused(code: "invalid_grant")) {
            try await auth.signIn(email: "jane@example.com", password: "wrong")
        }
        // The issuer gives tokens, but the save fails, and then the profile can't be loaded.
        storage.state.withLockedValue { $0.isWritable = false }
        await #expect(throws: SessionError.self) { try await auth.signInAnonymously() }
        storage.state.withLockedValue { $0.isWritable = true }
        profileFault.withLockedValue { $0 = .answerLost }
        await #expect(throws: SessionError.answerLost) { try await auth.signInAnonymously() }

        #expect(!auth.isAuthenticated && auth.currentSession == nil)
        #expect(events.withLockedValue(\.self).isEmpty)
        #expect(try storage.load() == nil)
        #expect(await backend.revoked.count == 2)
    }

    @Test func signInThatBeganLastWins() async throws {
        let auth = service()
        await backend.close(.signIn)
        let first = Task { try await auth.signInAnonymously() }
        try await eventually("the first is under way") { await backend.waiting == 1 }
        let second = Task { try await auth.signInWithApple(idToken: "identity") }
        try await eventually("both are under way") { await backend.waiting == 2 }
        await backend.open()
        await #expect(throws: SessionError.superseded) { try await first.value }
        try await second.value
        #expect(!auth.isAnonymous && auth.isAuthenticated)
        #expect(await backend.revoked.count == 1)
    }

    @Test func signOutEndsARunningSignIn() async throws {
        let auth = service()
        await backend.close(.signIn)
        let signIn = Task { try await auth.signInAnonymously() }
        try await eventually("it is under way") { await backend.waiting == 1 }
        await auth.signOut()
        await backend.open()
        await #expect(throws: SessionError.superseded) { try await signIn.value }
        #expect(!auth.isAuthenticated)
        #expect(try storage.load() == nil)
    }

    @Test func signOutDoesAllStepsInOrderAlthoughOneFails() async throws {
        let record = NIOLockedValueBox<[String]>([])
        let steps = ["cookies", "settings", "cache"].map { name in
            LogoutStep(name) {
                record.withLockedValue { $0.append(name) }
                if name == "settings" { throw SessionError.unsupported }
            }
        }
        let auth = service(logOutSteps: steps)
        try await auth.signInAnonymously()
        let tokens = await controller.getAccessToken()
        // A view that is closed cancels its task.
        let signOut = Task { await auth.signOut() }
        signOut.cancel()
        await signOut.value
        #expect(record.withLockedValue { $0 } == ["cookies", "settings", "cache"])
        #expect(events.withLockedValue(\.self).dropFirst() == [.signedOut(.requested), .logOutStepFailed("settings")])
        #expect(!auth.isAuthenticated && auth.currentSession == nil && auth.currentUser == nil)
        #expect(try storage.load() == nil)
        #expect(await !backend.issuer.accepts(tokens ?? ""))
    }

    @Test func theNextStartRestoresTheSession() async throws {
        let auth = service()
        try await auth.signInAnonymously()
        let next = restarted()
        #expect(next.session.value == nil)
        await next.restoreSession()
        #expect(next.currentUser == auth.currentUser)
        #expect(next.currentSession?.id == auth.currentSession?.id)
        #expect(next.isAnonymous)
    }

    @Test func aStartWithoutAConnectionKeepsTheSession() async throws {
        let auth = service()
        try await auth.signInAnonymously()
        profileFault.withLockedValue { $0 = .unreachable(retryAfter: nil) }
        let next = restarted()
        await next.restoreSession()
        #expect(next.session.error as? SessionError == .unreachable(retryAfter: nil))
        #expect(next.isAuthenticated && next.currentSession != nil)
        profileFault.withLockedValue { $0 = nil }
        await next.restoreSession()
        #expect(next.currentUser == auth.currentUser)
        #expect(events.withLockedValue(\.self) == [.signedIn(isAnonymous: true), .restored])
    }

    /// The access token has ended since, and can't be renewed now.
    @Test(arguments: [true, false])
    func aStartWithoutAConnectionShowsAProfileOfTheDevice(_ isOnDevice: Bool) async throws {
        try await service().signInAnonymously()
        let tomorrow = SessionController(
            storage: storage, backend: backend, clock: ManualClock(), now: { Date(timeIntervalSinceNow: 86_400) })
        await backend.fail(.unreachable(retryAfter: nil))
        let auth = service(
            tomorrow,
            loadProfile: { _ in
                guard isOnDevice else { throw SessionError.refused(code: "invalid_token") }
                return "of the device"
            })
        await auth.restoreSession()
        #expect(auth.isAuthenticated && auth.currentUser == (isOnDevice ? "of the device" : nil))
        #expect((auth.session.error as? SessionError)?.code == (isOnDevice ? nil : .unreachable))
    }

    @Test func anUnreadableStoreIsAFailureAndNoSignOut() async throws {
        let auth = service()
        try await auth.signInAnonymously()
        storage.state.withLockedValue { $0.isReadable = false }
        let next = restarted()
        await next.restoreSession()
        #expect(next.session.error is SessionError)
        storage.state.withLockedValue { $0.isReadable = true }
        await next.restoreSession()
        #expect(next.currentUser == auth.currentUser)
    }

    @Test func sessionStaysStoredWhenTheUnlockIsRefused() async throws {
        let auth = service()
        try await auth.signInAnonymously()
        let locked = restarted { throw SessionError.cancelled }
        await locked.restoreSession()
        #expect(!locked.isAuthenticated)
        #expect(locked.session.error as? SessionError == .cancelled)
        #expect(try storage.load() != nil)
    }

    @Test func aRemoteSignOutIsNoticed() async throws {
        let step = NIOLockedValueBox(0)
        let auth = service(logOutSteps: [LogoutStep("cache") { step.withLockedValue { $0 += 1 } }])
        try await auth.signInAnonymously()
        let observer = Task { await auth.observeAuthState() }
        await endRemotely()
        try await eventually("it is noticed") { !auth.isAuthenticated && events.withLockedValue(\.self).count == 2 }
        #expect(events.withLockedValue(\.self).last == .signedOut(.remote))
        try await eventually("the steps are done") { step.withLockedValue { $0 } == 1 }
        // Tokens that are set at the controller are noticed too.
        await controller.setTokens(try await backend.tokens(for: .anonymous))
        try await eventually("the session is taken up") { auth.isAuthenticated }
        #expect(await controller.getAccessToken() == auth.currentUser)
        observer.cancel()
        await observer.value
    }

    @Test func anAccountIsDeletedAtTheIssuerFirst() async throws {
        let auth = service()
        try await auth.signInAnonymously()
        try await auth.deleteAccount()
        #expect(await backend.issuer.accountCount == 0)
        #expect(!auth.isAuthenticated)
        await #expect(throws: SessionError.signedOut) { try await auth.deleteAccount() }
    }
}

/// Calls `change` once, when something that `read` has read is about to change.
@MainActor private func watch(_ read: () -> Void, _ change: @escaping @Sendable () -> Void) {
    withObservationTracking(read, onChange: change)
}

/// A clock that stands still, and calls a closure when a sleep begins.
private struct RecordingClock: Clock {
    private let clock = ManualClock()
    let slept: @Sendable () -> Void

    var now: ManualClock.Instant { clock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        slept()
        try await clock.sleep(until: deadline, tolerance: tolerance)
    }
}
