import Foundation
import NIOConcurrencyHelpers
import TestIssuer
import TestSupport
import Testing

@testable import Sessions
@testable import OpenIDSessions

/// A store that fails, or that another program uses too.
@Suite struct StoreFaultTests {
    @Test func refreshTokenIsNotUsedWhileTheStoreIsUnreadable() async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        session.storage.state.withLockedValue { $0.isReadable = false }
        await #expect(throws: SessionError(.storeUnreadable, "locked device")) {
            try await session.controller.token(rejected: old)
        }
        #expect(await session.backend.requests == 0)
        session.storage.state.withLockedValue { $0.isReadable = true }
        session.clock.advance(by: .seconds(1))
        #expect(try await session.controller.token(rejected: old) != old)
    }

    @Test func sessionIsRefreshedAlthoughLockingFails() async throws {
        let session = try await SignedIn()
        session.storage.state.withLockedValue { ($0.isLockable, $0.isWritable) = (false, false) }
        let old = await session.controller.getAccessToken()
        #expect(try await session.controller.token(rejected: old) != old)
        let events = session.events.withLockedValue { $0 }
        #expect(events.contains(.lockFailed(SessionError(.notLocked, "disk full"))))
        #expect(events.contains(.saveFailed(SessionError(.notSaved, "disk full"))))
    }

    @Test func refreshWaitsForALockThatAnotherProgramHolds() async throws {
        let session = try await SignedIn()
        let (storage, clock) = (session.storage, session.clock)
        let (old, caller) = try await session.callerWaitingForTheLock()
        clock.advance(by: .milliseconds(50))
        try await eventually("it is tried again") { storage.state.withLockedValue { $0.lockTries == 2 } }
        #expect(await session.backend.requests == 0)
        storage.state.withLockedValue { $0.isLocked = false }
        try await eventually("the lock is waited for") { clock.sleepers == 2 }
        clock.advance(by: .milliseconds(50))
        #expect(try await caller.value != old)
    }

    @Test func callerCancelledWhileWaitingForTheLockReturns() async throws {
        let session = try await SignedIn()
        let (controller, storage, clock) = (session.controller, session.storage, session.clock)
        let (old, first) = try await session.callerWaitingForTheLock()
        let second = Task { try await controller.token(rejected: old) }
        try await eventually("both wait") { await controller.waiting == 2 }
        first.cancel()
        await #expect(throws: SessionError.cancelled) { try await first.value }
        storage.state.withLockedValue { $0.isLocked = false }
        clock.advance(by: .milliseconds(50))
        #expect(try await second.value != old)
        #expect(await session.backend.requests == 1)
    }

    @Test(arguments: [true, false])
    func sessionThatEndsWhileWaitingForTheLockIsNotRefreshed(_ isNewcomerThere: Bool) async throws {
        let session = try await SignedIn()
        let (controller, storage, clock) = (session.controller, session.storage, session.clock)
        let (_, caller) = try await session.callerWaitingForTheLock()
        let flight = try #require(await controller.flight?.task)
        await controller.clear()
        let newcomer = try await session.backend.tokens(for: .anonymous)
        if isNewcomerThere { await controller.setTokens(newcomer) }
        await #expect(throws: SessionError.signedOut) { try await caller.value }
        storage.state.withLockedValue { $0.isLocked = false }
        clock.advance(by: .seconds(1))
        await flight.value
        #expect(await session.backend.requests == 0)
        #expect(await controller.getAccessToken() == (isNewcomerThere ? newcomer.accessToken : nil))
    }

    @Test(arguments: ["", "{}", "rubbish", #"{"version":2,"id":"0","tokens":{}}"#])
    func damagedContentIsKeptUntilTheNextSignIn(_ content: String) async throws {
        let storage = MemoryStorage()
        try storage.save(Data(content.utf8))
        let events = NIOLockedValueBox<[SessionEvent]>([])
        let controller = SessionController(
            storage: storage, report: { event in events.withLockedValue { $0.append(event) } })
        #expect(await controller.state == .unknown)
        await #expect(throws: SessionError.self) { try await controller.token() }
        #expect(try storage.load() == Data(content.utf8))
        try await controller.beginSession(with: AuthTokens(accessToken: "access"))
        #expect(await SessionController(storage: storage).getAccessToken() == "access")
        #expect(events.withLockedValue { $0 }.count == 1)
    }

    @Test func aNewerTokenOfAnotherProgramIsAdopted() async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        let other = SessionController(storage: session.storage, backend: session.backend, clock: session.clock)
        let renewed = try await other.token(rejected: old)
        #expect(try await session.controller.token(rejected: old) == renewed)
        #expect(await session.backend.requests == 1)
        #expect(session.events.withLockedValue { $0 } == [.adopted])
    }

    /// Stores without a lock: both programs send the same refresh token, and the issuer accepts it twice.
    @Test(arguments: [true, false]) func aRefreshOfTwoProgramsAtOnceLeavesBothSignedIn(_ isSaved: Bool) async throws {
        var options = Issuer.Options()
        options.rotates = false
        try await Issuer.run(options) { issuer in
            let (storage, backend) = (FaultyStorage(), try OpenIDBackend(issuer))
            let first = SessionController(storage: storage, backend: backend)
            await first.setTokens(try await backend.signIn("jane", at: issuer))
            let second = SessionController(storage: storage, backend: backend)
            let old = await second.getAccessToken()
            await issuer.fail(.token, with: .hold, .hold)
            let callers = [first, second].map { controller in Task { try await controller.token(rejected: old) } }
            try await eventually("both are under way") { await issuer.requests[.token] == 3 }
            // The second save finds the other program's newer tokens, at once or when it is tried again.
            if !isSaved { storage.state.withLockedValue { $0.savesUntilFull = 1 } }
            await issuer.release()
            for caller in callers { #expect(try await caller.value != old) }
            storage.state.withLockedValue { $0.savesUntilFull = nil }
            for controller in [first, second] { #expect(await controller.state == .authenticated) }
            #expect(await issuer.counts == .init(signIns: 1, refreshes: 2))
        }
    }

    /// The removal failed, and another person has signed in with another program since.
    @Test func aDelayedRemovalLeavesTheNextSession() async throws {
        let session = try await SignedIn()
        session.storage.state.withLockedValue { $0.isWritable = false }
        await session.controller.clear()
        session.storage.state.withLockedValue { $0.isWritable = true }
        let other = SessionController(storage: session.storage)
        await other.setTokens(AuthTokens(accessToken: "of another"))
        session.clock.advance(by: .seconds(60))
        #expect(await session.controller.state == .signedOut(.requested))
        #expect(await SessionController(storage: session.storage).getAccessToken() == "of another")
    }

    @Test(arguments: ["of another", nil])
    func aSessionThatEndedInAnotherProgramEndsHereToo(_ next: String?) async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        let other = SessionController(storage: session.storage)
        if let next { await other.setTokens(AuthTokens(accessToken: next)) } else { await other.clear() }
        await #expect(throws: SessionError.signedOut) { try await session.controller.token(rejected: old) }
        #expect(await session.controller.state == .signedOut(.elsewhere))
        #expect(await SessionController(storage: session.storage).getAccessToken() == next)
    }

    @Test func aSignOutInAnotherProgramDuringARefreshIsNotUndone() async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        await session.backend.close(.refreshed)
        let caller = Task { [controller = session.controller] in try await controller.token(rejected: old) }
        try await eventually("the refresh is under way") { await session.backend.waiting == 1 }
        await SessionController(storage: session.storage).clear()
        await session.backend.open()
        await #expect(throws: SessionError.signedOut) { try await caller.value }
        #expect(try session.storage.memory.load() == nil)
        try await eventually("the tokens are revoked") { await session.backend.revoked.count == 1 }
    }
}

extension SignedIn {
    /// A caller with a rejected token, which waits because another program has the store's lock.
    fileprivate func callerWaitingForTheLock() async throws -> (rejected: String?, caller: Task<String, any Error>) {
        let old = await controller.getAccessToken()
        storage.state.withLockedValue { $0.isLocked = true }
        let caller = Task { try await controller.token(rejected: old) }
        // The timeout, and the pause before the lock is tried again.
        try await eventually("the lock is waited for") { clock.sleepers == 2 }
        return (old, caller)
    }
}
