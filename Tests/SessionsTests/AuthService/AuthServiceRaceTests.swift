import Dispatch
import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import Sessions

/// Concurrent sign-ins, sign-outs, restores and changes of the controller.
extension AuthServiceTests {
    /// A service that is restoring a session with this access token. Loading the profile of that session waits until
    /// the gate is open.
    private func restoring(
        _ accessToken: String
    ) async throws -> (AuthService<String>, isOpen: NIOLockedValueBox<Bool>, Task<Void, Never>) {
        let (isOpen, loads) = (NIOLockedValueBox(false), NIOLockedValueBox(0))
        await controller.setTokens(AuthTokens(accessToken: accessToken))
        let auth = service(loadProfile: { tokens in
            loads.withLockedValue { $0 += 1 }
            if tokens.accessToken == accessToken {
                try await eventually("the gate is open") { isOpen.withLockedValue(\.self) }
            }
            return tokens.accessToken
        })
        let restore = Task { await auth.restoreSession() }
        try await eventually("the profile is being loaded") { loads.withLockedValue(\.self) == 1 }
        return (auth, isOpen, restore)
    }

    @Test func endOfTheSessionDuringAFailingSignInIsNoticedAfterIt() async throws {
        let steps = NIOLockedValueBox(0)
        let auth = service(logOutSteps: [LogoutStep("cache") { steps.withLockedValue { $0 += 1 } }])
        try await auth.signInAnonymously()
        let observer = Task { await auth.observeAuthState() }
        await backend.close(.signIn)
        let signIn = Task { try await auth.signIn(with: .apple(idToken: "identity")) }
        try await eventually("the sign-in is under way") { await backend.waiting == 1 }
        await endRemotely()
        storage.state.withLockedValue { $0.isWritable = false }
        await backend.open()
        await #expect(throws: SessionError.self) { try await signIn.value }
        try await eventually("the end is noticed") { !auth.isAuthenticated && auth.currentSession == nil }
        try await eventually("the steps are done") { steps.withLockedValue(\.self) == 1 }
        observer.cancel()
        await observer.value
    }

    @Test func endOfTheOldSessionDoesNotRefuseARunningSignIn() async throws {
        let auth = service()
        try await auth.signInAnonymously()
        await backend.close(.signIn)
        let signIn = Task { try await auth.signIn(with: .apple(idToken: "identity")) }
        try await eventually("the sign-in is under way") { await backend.waiting == 1 }
        await endRemotely()
        await backend.open()
        try await signIn.value
        #expect(auth.isAuthenticated && !auth.isAnonymous)
        #expect(await controller.state == .authenticated)
    }

    /// The second sign-in begins while the first one is being saved.
    @Test func aSignInDuringTheSaveOfAnotherReplacesIt() async throws {
        let auth = service()
        let second = NIOLockedValueBox<Task<Void, any Error>?>(nil)
        let hasBegun = DispatchSemaphore(value: 0)
        storage.state.withLockedValue { state in
            state.onSave = {
                guard second.withLockedValue({ $0 == nil }) else { return }
                Task { @MainActor in
                    let task = Task.immediate { try await auth.signIn(with: .apple(idToken: "identity")) }
                    second.withLockedValue { $0 = task }
                    hasBegun.signal()
                }
                _ = hasBegun.wait(timeout: .now() + 120)
            }
        }
        try await auth.signInAnonymously()
        try await second.withLockedValue(\.self)?.value
        #expect(auth.isAuthenticated && !auth.isAnonymous)
        #expect(await controller.current == auth.currentSession)
    }

    @Test func aRestoreDuringASignInDoesNotEndIt() async throws {
        let auth = service()
        await backend.close(.signIn)
        let signIn = Task { try await auth.signInAnonymously() }
        try await eventually("the sign-in is under way") { await backend.waiting == 1 }
        await auth.restoreSession()
        #expect(auth.session.value == .some(nil))
        await backend.open()
        try await signIn.value
        #expect(auth.isAuthenticated)
    }

    /// The tokens of another person are set while the profile of the first one is loaded.
    @Test func aProfileIsShownOnlyWithItsOwnSession() async throws {
        let (auth, isOpen, restore) = try await restoring("first")
        await controller.setTokens(AuthTokens(accessToken: "second"))
        isOpen.withLockedValue { $0 = true }
        await restore.value
        #expect(auth.currentUser == "second")
        #expect(await controller.current == auth.currentSession)
    }

    @Test func aLateDeletionDoesNotSignOutTheNextPerson() async throws {
        let auth = service()
        try await auth.signInAnonymously()
        await backend.close(.deletion)
        let deletion = Task { try await auth.deleteAccount() }
        try await eventually("the deletion is under way") { await backend.waiting == 1 }
        await auth.signOut()
        try await auth.signIn(with: .apple(idToken: "identity"))
        await backend.open()
        // The tokens of the deleted account were revoked at the sign-out, so the issuer refuses.
        _ = try? await deletion.value
        #expect(auth.isAuthenticated && !auth.isAnonymous)
        #expect(await controller.state == .authenticated)
    }

    /// The sign-in waits five seconds at most.
    @Test(arguments: [true, false]) func aSignInWaitsForTheStepsOfTheSignOutBefore(_ doesStepEnd: Bool) async throws {
        let (isOpen, order) = (NIOLockedValueBox(false), NIOLockedValueBox<[String]>([]))
        let step = LogoutStep("data store") {
            try await eventually("the gate is open") { isOpen.withLockedValue(\.self) }
            order.withLockedValue { $0.append("step") }
        }
        let clock = ManualClock()
        let auth = service(logOutSteps: [step], clock: clock)
        try await auth.signInAnonymously()
        storage.state.withLockedValue { $0.onSave = { order.withLockedValue { $0.append("save") } } }
        let signOut = Task { await auth.signOut() }
        try await eventually("the person is signed out") { !auth.isAuthenticated }
        let signIn = Task { try await auth.signInAnonymously() }
        try await eventually("the sign-in waits") { clock.sleepers == 1 }
        if doesStepEnd { isOpen.withLockedValue { $0 = true } } else { clock.advance(by: .seconds(5)) }
        try await signIn.value
        isOpen.withLockedValue { $0 = true }
        await signOut.value
        #expect(order.withLockedValue(\.self) == (doesStepEnd ? ["step", "save"] : ["save", "step"]))
    }

    /// A sign-out changes the views first and then the controller. Here its priority delays the second change.
    @Test func aSessionCreatedRightAfterASignOutStays() async throws {
        let auth = service()
        for _ in 0..<50 {
            try await auth.signInAnonymously()
            let signOut = Task.immediate(priority: .background) { await auth.signOut() }
            #expect(!auth.isAuthenticated)
            try await auth.createSession(tokens: AuthTokens(accessToken: "next"), profile: "next")
            await signOut.value
            #expect(await controller.current == auth.currentSession)
            #expect(await controller.getAccessToken() == "next" && auth.currentUser == "next")
        }
    }

    /// A log-in screen, for example, waits for the next sign-in.
    @Test func aFailedSignInDoesNotWaitForAStepThatWaitsForASignIn() async throws {
        let isSignedIn = NIOLockedValueBox(false)
        let step = LogoutStep("log-in screen") {
            try await eventually("a person has signed in") { isSignedIn.withLockedValue(\.self) }
        }
        let auth = service(logOutSteps: [step])
        try await auth.signInAnonymously()
        await backend.close(.signIn)
        let signIn = Task { try await auth.signIn(with: .apple(idToken: "identity")) }
        try await eventually("the sign-in is under way") { await backend.waiting == 1 }
        await endRemotely()
        storage.state.withLockedValue { $0.isWritable = false }
        await backend.open()
        await #expect(throws: SessionError.self) { try await signIn.value }
        isSignedIn.withLockedValue { $0 = true }
        try await eventually("the end is noticed") { !auth.isAuthenticated }
    }

    // MARK: Restoring

    @Test func aChangeDuringARestoreDoesNotUnlockAgain() async throws {
        await controller.setTokens(AuthTokens(accessToken: "access"))
        let (isOpen, unlocks) = (NIOLockedValueBox(false), NIOLockedValueBox(0))
        let auth = service(unlock: {
            unlocks.withLockedValue { $0 += 1 }
            try await eventually("the gate is open") { isOpen.withLockedValue(\.self) }
        })
        let restore = Task { await auth.restoreSession() }
        try await eventually("the owner is asked") { unlocks.withLockedValue(\.self) == 1 }
        // An observer does this at its first state.
        let change = Task.immediate { await auth.follow() }
        isOpen.withLockedValue { $0 = true }
        await restore.value
        await change.value
        #expect(auth.isAuthenticated)
        #expect(unlocks.withLockedValue(\.self) == 1)
        #expect(events.withLockedValue(\.self) == [.restored])
    }

    /// The running restore belongs to the session that has ended.
    @Test func aRestoreAfterASignOutFindsTheNextSession() async throws {
        let (auth, isOpen, first) = try await restoring("first")
        await auth.signOut()
        await controller.setTokens(AuthTokens(accessToken: "second"))
        let second = Task { await auth.restoreSession() }
        isOpen.withLockedValue { $0 = true }
        await first.value
        await second.value
        #expect(auth.currentUser == "second")
    }

    @Test func aChangeAfterARefusedUnlockDoesNotUnlockAgain() async throws {
        await controller.setTokens(AuthTokens(accessToken: "access"))
        let unlocks = NIOLockedValueBox(0)
        let auth = service(unlock: {
            unlocks.withLockedValue { $0 += 1 }
            throw SessionError.cancelled
        })
        await auth.restoreSession()
        await auth.follow()
        #expect(!auth.isAuthenticated)
        #expect(unlocks.withLockedValue(\.self) == 1)
        // A new session asks for the unlock again.
        await controller.setTokens(AuthTokens(accessToken: "next"))
        await auth.follow()
        #expect(unlocks.withLockedValue(\.self) == 2)
    }

    /// The first start shows the welcome, and not Face ID.
    @Test func withoutAStoredSessionNothingIsUnlocked() async throws {
        let unlocks = NIOLockedValueBox(0)
        let auth = service(unlock: { unlocks.withLockedValue { $0 += 1 } })
        await auth.restoreSession()
        #expect(auth.session.value == .some(nil) && unlocks.withLockedValue(\.self) == 0)
        // A store that can't be read may have a session.
        storage.state.withLockedValue { $0.isReadable = false }
        let next = service(
            SessionController(storage: storage, backend: backend),
            unlock: {
                unlocks.withLockedValue { $0 += 1 }
            })
        await next.restoreSession()
        #expect(unlocks.withLockedValue(\.self) == 1)
    }

    @Test func aSessionThatTheIssuerEndedBetweenStartsIsForgottenOnce() async throws {
        try await service().signInAnonymously()
        let steps = NIOLockedValueBox(0)
        // The next start, a day later: the access token has ended.
        let next = SessionController(
            storage: storage, backend: backend, clock: ManualClock(), now: { Date(timeIntervalSinceNow: 86_400) })
        let auth = service(next, logOutSteps: [LogoutStep("cache") { steps.withLockedValue { $0 += 1 } }])
        await backend.fail(.refused(code: "invalid_grant"))
        for _ in 0..<2 {
            await auth.restoreSession()
            #expect(!auth.isAuthenticated && auth.session.value == .some(nil))
        }
        try await eventually("the steps are done") { steps.withLockedValue(\.self) == 1 }
        #expect(events.withLockedValue(\.self) == [.signedIn(isAnonymous: true), .signedOut(.remote)])
    }

    @Test func aSessionWithoutAProfileTimesOutToo() async throws {
        await controller.setTokens(AuthTokens(accessToken: "access"))
        let clock = ManualClock()
        profileFault.withLockedValue { $0 = .unreachable(retryAfter: nil) }
        let auth = service(clock: clock, timeout: .seconds(60))
        await auth.restoreSession()
        try await eventually("the timer runs") { clock.sleepers == 1 }
        // A second restore does not restart the timer.
        clock.advance(by: .seconds(30))
        await auth.restoreSession()
        clock.advance(by: .seconds(30))
        try await eventually("the session has ended") { !auth.isAuthenticated }
        #expect(events.withLockedValue(\.last) == .signedOut(.timedOut))
    }

    @Test func aFailedReloadKeepsTheProfile() async throws {
        let auth = service()
        try await auth.signInAnonymously()
        profileFault.withLockedValue { $0 = .unreachable(retryAfter: nil) }
        await auth.restoreSession()
        #expect(await controller.getAccessToken() == auth.currentUser)
    }
}
