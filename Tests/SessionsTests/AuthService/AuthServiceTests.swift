import Foundation
import NIOConcurrencyHelpers
import Observation
import TestSupport
import Testing

@testable import Sessions

@MainActor @Suite struct AuthServiceTests {
    /// The parts of an app, and a record of their events, in order.
    @MainActor private final class App {
        let storage = FaultyStorage()
        let backend = GatedBackend()
        let clock = ManualClock()
        let controller: SessionController
        let auth: AuthService<String>
        let profiles = NIOLockedValueBox<Result<String, AuthError>>(.success("Jane"))
        var events: [AuthEvent] { log.withLockedValue { $0 } }
        private let log: NIOLockedValueBox<[AuthEvent]>

        init(
            timeout: Duration? = nil, logOutSteps: [LogoutStep] = [], record: NIOLockedValueBox<[String]> = .init([])
        ) {
            storage.state.withLockedValue { $0.onSave = { record.withLockedValue { $0.append("save") } } }
            controller = SessionController(storage: storage, backend: backend, clock: clock)
            let log = NIOLockedValueBox<[AuthEvent]>([])
            self.log = log
            auth = AuthService(
                controller: controller, backend: backend, timeout: timeout,
                clock: RecordingClock(clock) { record.withLockedValue { $0.append("timer") } },
                logOutSteps: logOutSteps,
                audit: { event in
                    log.withLockedValue { $0.append(event) }
                    record.withLockedValue { $0.append("audit") }
                }
            ) { [profiles] _ in try profiles.withLockedValue { $0 }.get() }
        }

        /// The next start of the program, with the same store.
        func restarted() -> AuthService<String> {
            let controller = SessionController(storage: storage, backend: backend, clock: clock)
            return AuthService(controller: controller, backend: backend) { [profiles] _ in
                try profiles.withLockedValue { $0 }.get()
            }
        }
    }

    enum Way: CaseIterable {
        case signUp, password, anonymous, apple
    }

    private func signIn(_ app: App, by way: Way) async throws {
        switch way {
        case .signUp: try await app.auth.signUp(email: "jane@example.com", password: "secret", username: "jane")
        case .password:
            let account = Credential.newAccount(email: "jane@example.com", password: "secret", username: "jane")
            _ = try await app.backend.tokens(for: account)
            try await app.auth.signIn(email: "jane@example.com", password: "secret")
        case .anonymous: try await app.auth.signInAnonymously()
        case .apple: try await app.auth.signInWithApple(idToken: "identity")
        }
    }

    @Test(arguments: Way.allCases) func sessionIsAlwaysCreatedInTheSameOrder(_ way: Way) async throws {
        let record = NIOLockedValueBox<[String]>([])
        let app = App(timeout: .seconds(60), record: record)
        let torn = NIOLockedValueBox(0)
        watch({ _ = app.auth.session }) { record.withLockedValue { $0.append("session") } }
        watch({ _ = app.auth.currentSession }) { record.withLockedValue { $0.append("currentSession") } }
        watch({ _ = app.auth.isAuthenticated }) {
            MainActor.preconditionIsolated()
            record.withLockedValue { $0.append("isAuthenticated") }
            MainActor.assumeIsolated { if app.auth.currentSession == nil { torn.withLockedValue { $0 += 1 } } }
        }
        try await signIn(app, by: way)
        try await eventually("the timer is started") { record.withLockedValue { $0.last == "timer" } }
        #expect(
            record.withLockedValue { $0 }
                == ["save", "session", "currentSession", "isAuthenticated", "audit", "timer"])
        #expect(torn.withLockedValue { $0 } == 0)
        #expect(app.auth.currentUser == "Jane")
        #expect(app.auth.isAuthenticated)
        #expect(app.auth.isAnonymous == (way == .anonymous))
        #expect(app.events == [.signedIn(isAnonymous: way == .anonymous)])
    }

    @Test func failedSignInChangesNothing() async throws {
        let app = App()
        await #expect(throws: AuthError.refused(code: "invalid_grant")) {
            try await app.auth.signIn(email: "jane@example.com", password: "wrong")
        }
        // The issuer gives tokens, but the save fails, and then the profile can't be loaded.
        app.storage.state.withLockedValue { $0.isWritable = false }
        await #expect(throws: SessionError.self) { try await app.auth.signInAnonymously() }
        app.storage.state.withLockedValue { $0.isWritable = true }
        app.profiles.withLockedValue { $0 = .failure(.answerLost) }
        await #expect(throws: AuthError.answerLost) { try await app.auth.signInAnonymously() }

        #expect(!app.auth.isAuthenticated && app.auth.currentSession == nil)
        #expect(app.events.isEmpty)
        #expect(try app.storage.load() == nil)
        #expect(await app.backend.revoked.count == 2)
    }

    @Test func signInThatBeganLastWins() async throws {
        let app = App()
        await app.backend.closeSignIn()
        let first = Task { try await app.auth.signInAnonymously() }
        try await eventually("the first is under way") { await app.backend.waiting == 1 }
        let second = Task { try await app.auth.signInWithApple(idToken: "identity") }
        try await eventually("both are under way") { await app.backend.waiting == 2 }
        await app.backend.open()
        await #expect(throws: SessionError.superseded) { try await first.value }
        try await second.value
        #expect(!app.auth.isAnonymous && app.auth.isAuthenticated)
        #expect(await app.backend.revoked.count == 1)
    }

    @Test func signOutEndsARunningSignIn() async throws {
        let app = App()
        await app.backend.closeSignIn()
        let signIn = Task { try await app.auth.signInAnonymously() }
        try await eventually("it is under way") { await app.backend.waiting == 1 }
        await app.auth.signOut()
        await app.backend.open()
        await #expect(throws: SessionError.superseded) { try await signIn.value }
        #expect(!app.auth.isAuthenticated)
        #expect(try app.storage.load() == nil)
    }

    @Test func signOutDoesAllStepsInOrderAlthoughOneFails() async throws {
        let record = NIOLockedValueBox<[String]>([])
        let steps = ["cookies", "settings", "cache"].map { name in
            LogoutStep(name) {
                record.withLockedValue { $0.append(name) }
                if name == "settings" { throw AuthError.unsupported }
            }
        }
        let app = App(logOutSteps: steps)
        try await app.auth.signInAnonymously()
        let tokens = await app.controller.getAccessToken()
        // A view that is closed cancels its task.
        let signOut = Task { await app.auth.signOut() }
        signOut.cancel()
        await signOut.value
        #expect(record.withLockedValue { $0 } == ["cookies", "settings", "cache"])
        #expect(app.events.dropFirst() == [.signedOut(.requested), .logOutStepFailed("settings")])
        #expect(!app.auth.isAuthenticated && app.auth.currentSession == nil && app.auth.currentUser == nil)
        #expect(try app.storage.load() == nil)
        #expect(await !app.backend.issuer.accepts(tokens ?? ""))
    }

    @Test func theNextStartRestoresTheSession() async throws {
        let app = App()
        try await app.auth.signInAnonymously()
        let next = app.restarted()
        #expect(next.session.value == nil)
        await next.restoreSession()
        #expect(next.currentUser == "Jane")
        #expect(next.currentSession?.id == app.auth.currentSession?.id)
        #expect(next.isAnonymous)
    }

    @Test func restoringWithoutAStoredSessionGivesNoUser() async throws {
        let app = App()
        await app.auth.restoreSession()
        #expect(app.auth.session.value == .some(nil))
        #expect(!app.auth.isAuthenticated)
    }

    @Test func aStartWithoutAConnectionKeepsTheSession() async throws {
        let app = App()
        try await app.auth.signInAnonymously()
        app.profiles.withLockedValue { $0 = .failure(.unreachable(retryAfter: nil)) }
        let next = app.restarted()
        await next.restoreSession()
        #expect(next.session.error as? AuthError == .unreachable(retryAfter: nil))
        #expect(next.isAuthenticated && next.currentSession != nil)
        app.profiles.withLockedValue { $0 = .success("Jane") }
        await next.restoreSession()
        #expect(next.currentUser == "Jane")
    }

    @Test func anUnreadableStoreIsAFailureAndNoSignOut() async throws {
        let app = App()
        try await app.auth.signInAnonymously()
        app.storage.state.withLockedValue { $0.isReadable = false }
        let next = app.restarted()
        await next.restoreSession()
        #expect(next.session.error is SessionError)
        app.storage.state.withLockedValue { $0.isReadable = true }
        await next.restoreSession()
        #expect(next.currentUser == "Jane")
    }

    @Test func sessionStaysStoredWhenTheUnlockIsRefused() async throws {
        let app = App()
        try await app.auth.signInAnonymously()
        let locked = AuthService<String>(
            controller: SessionController(storage: app.storage, backend: app.backend), backend: app.backend,
            unlock: { throw AuthError.cancelled }, loadProfile: { _ in "Jane" })
        await locked.restoreSession()
        #expect(!locked.isAuthenticated)
        #expect(locked.session.error as? AuthError == .cancelled)
        #expect(try app.storage.load() != nil)
    }

    @Test func aRemoteSignOutIsNoticed() async throws {
        let step = NIOLockedValueBox(0)
        let app = App(logOutSteps: [LogoutStep("cache") { step.withLockedValue { $0 += 1 } }])
        try await app.auth.signInAnonymously()
        let observer = Task { await app.auth.observeAuthState() }
        await app.backend.fail(.unsent(.refused(code: "invalid_grant")))
        _ = try? await app.controller.token(rejected: app.controller.getAccessToken())
        try await eventually("it is noticed") { !app.auth.isAuthenticated && app.events.count == 2 }
        #expect(app.events.last == .signedOut(.remote))
        try await eventually("the steps are done") { step.withLockedValue { $0 } == 1 }
        // Tokens that are set at the controller are noticed too.
        await app.controller.setTokens(try await app.backend.tokens(for: .anonymous))
        try await eventually("the session is taken up") { app.auth.isAuthenticated }
        #expect(app.auth.currentUser == "Jane")
        observer.cancel()
        await observer.value
    }

    @Test func sessionEndsAfterItsTimeout() async throws {
        let app = App(timeout: .seconds(60))
        try await app.auth.signInAnonymously()
        try await eventually("the timer runs") { app.clock.sleepers == 1 }
        app.clock.advance(by: .seconds(60))
        try await eventually("the session has ended") { !app.auth.isAuthenticated }
        #expect(app.events.last == .signedOut(.timedOut))
    }

    @Test func anAccountIsDeletedAtTheIssuerFirst() async throws {
        let app = App()
        try await app.auth.signInAnonymously()
        try await app.auth.deleteAccount()
        #expect(await app.backend.issuer.accountCount == 0)
        #expect(!app.auth.isAuthenticated)
        await #expect(throws: SessionError.signedOut) { try await app.auth.deleteAccount() }
    }
}

/// Calls `change` once, when something that `read` has read is about to change.
@MainActor private func watch(_ read: () -> Void, _ change: @escaping @Sendable () -> Void) {
    withObservationTracking(read, onChange: change)
}

/// A clock that calls a closure when a sleep begins.
private struct RecordingClock: Clock {
    private let clock: ManualClock
    private let slept: @Sendable () -> Void

    init(_ clock: ManualClock, slept: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.slept = slept
    }

    var now: ManualClock.Instant { clock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        slept()
        try await clock.sleep(until: deadline, tolerance: tolerance)
    }
}
