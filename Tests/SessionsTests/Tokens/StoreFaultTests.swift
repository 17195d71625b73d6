import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import Sessions

/// A store that fails, or that another program uses too.
@Suite struct StoreFaultTests {
    @Test func refreshedTokensThatCannotBeSavedAreUsedAndSavedLater() async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        session.storage.state.withLockedValue { $0.isWritable = false }
        let renewed = try await session.controller.token(rejected: old)
        #expect(session.events.withLockedValue { $0 }.contains(.saveFailed(StorageError(.notSaved, "disk full"))))
        session.storage.state.withLockedValue { $0.isWritable = true }
        session.clock.advance(by: .seconds(60))
        #expect(try await session.controller.token() == renewed)
        #expect(await SessionController(storage: session.storage).getAccessToken() == renewed)
    }

    @Test func refreshTokenIsNotUsedWhileTheStoreIsUnreadable() async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        session.storage.state.withLockedValue { $0.isReadable = false }
        await #expect(throws: SessionError.storage(StorageError(.unreadable, "locked device"))) {
            try await session.controller.token(rejected: old)
        }
        #expect(await session.backend.requests == 0)
        session.storage.state.withLockedValue { $0.isReadable = true }
        session.clock.advance(by: .seconds(1))
        #expect(try await session.controller.token(rejected: old) != old)
    }

    @Test func aSessionThatCannotBeRemovedIsRemovedLater() async throws {
        let session = try await SignedIn()
        session.storage.state.withLockedValue { $0.isWritable = false }
        await session.controller.clear()
        #expect(await session.controller.state == .signedOut(.requested))
        session.storage.state.withLockedValue { $0.isWritable = true }
        session.clock.advance(by: .seconds(1))
        _ = await session.controller.state
        #expect(try session.storage.memory.load() == nil)
    }

    /// The store still has the session of another person.
    @Test(arguments: [true, false]) func aSignInThatCouldNotBeSavedIsSavedLater(_ isReadable: Bool) async throws {
        let session = try await SignedIn()
        session.storage.state.withLockedValue { ($0.isReadable, $0.isWritable) = (isReadable, false) }
        await session.controller.setTokens(AuthTokens(accessToken: "of another", refreshToken: "refresh"))
        session.storage.state.withLockedValue { ($0.isReadable, $0.isWritable) = (true, true) }
        session.clock.advance(by: .seconds(1))
        #expect(try await session.controller.token() == "of another")
        #expect(await SessionController(storage: session.storage).getAccessToken() == "of another")
    }

    @Test func aRefusedRefreshOfAnUnsavedSignInEmptiesTheStore() async throws {
        let session = try await SignedIn()
        session.storage.state.withLockedValue { $0.isWritable = false }
        await session.controller.setTokens(AuthTokens(accessToken: "of another", refreshToken: "unknown"))
        await #expect(throws: SessionError.signedOut) { try await session.controller.token(rejected: "of another") }
        session.storage.state.withLockedValue { $0.isWritable = true }
        session.clock.advance(by: .seconds(60))
        #expect(await session.controller.state == .signedOut(.remote))
        #expect(try session.storage.memory.load() == nil)
    }

    @Test func sessionIsRefreshedAlthoughLockingFails() async throws {
        let session = try await SignedIn()
        session.storage.state.withLockedValue { ($0.isLockable, $0.isWritable) = (false, false) }
        let old = await session.controller.getAccessToken()
        #expect(try await session.controller.token(rejected: old) != old)
        #expect(session.events.withLockedValue { $0 }.contains(.lockFailed(StorageError(.notLocked, "disk full"))))
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

    @Test func launchWithoutTheIssuerKeepsTheSession() async throws {
        let session = try await SignedIn()
        let refused = SessionError.unreachable(retryAfter: .seconds(1))
        let next = SessionController(
            storage: session.storage, backend: session.backend, clock: session.clock,
            now: { Date(timeIntervalSinceNow: 7_200) })
        await session.backend.fail(.unsent(.unreachable(retryAfter: nil)))
        await #expect(throws: refused) { try await next.token() }
        #expect(await next.state == .authenticated)
        session.clock.advance(by: .seconds(1))
        #expect(await next.currentAccessToken() != nil)
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
        let (storage, backend) = (FaultyStorage(), SteadyBackend())
        let first = SessionController(storage: storage, backend: backend)
        await first.setTokens(AuthTokens(accessToken: "access", refreshToken: "refresh", expiresIn: .seconds(60)))
        let second = SessionController(storage: storage, backend: backend)
        _ = await second.getAccessToken()
        let callers = [first, second].map { controller in Task { try await controller.token(rejected: "access") } }
        try await eventually("both are under way") { await backend.waiting == 2 }
        // The second save finds the other program's newer tokens, at once or when it is tried again.
        if !isSaved { storage.state.withLockedValue { $0.savesUntilFull = 1 } }
        await backend.open()
        for caller in callers { #expect(try await caller.value != "access") }
        storage.state.withLockedValue { $0.savesUntilFull = nil }
        for controller in [first, second] { #expect(await controller.state == .authenticated) }
        #expect(await backend.revocations == 0)
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

    @Test func aSignOutInAnotherProgramEndsTheSessionHere() async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        await SessionController(storage: session.storage).clear()
        await #expect(throws: SessionError.signedOut) { try await session.controller.token(rejected: old) }
        #expect(await session.controller.state == .signedOut(.elsewhere))
    }

    @Test func anotherPersonsSessionIsNotAdopted() async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        let other = SessionController(storage: session.storage)
        await other.setTokens(AuthTokens(accessToken: "of another"))
        await #expect(throws: SessionError.signedOut) { try await session.controller.token(rejected: old) }
        #expect(await session.controller.state == .signedOut(.elsewhere))
        #expect(await SessionController(storage: session.storage).getAccessToken() == "of another")
    }

    @Test func aSignOutInAnotherProgramDuringARefreshIsNotUndone() async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        await session.backend.close(.back)
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

/// An issuer that does not rotate refresh tokens. It answers refreshes after `open()`.
private actor SteadyBackend: AuthBackend {
    private var stopped: [CheckedContinuation<Void, Never>] = []
    private(set) var revocations = 0
    private var count = 0

    var waiting: Int { stopped.count }

    func open() {
        for request in stopped { request.resume() }
        stopped = []
    }

    func refresh(_ refreshToken: String) async throws(AuthError) -> AuthTokens {
        await withCheckedContinuation { stopped.append($0) }
        count += 1
        return AuthTokens(accessToken: "access \(count)", refreshToken: refreshToken, expiresIn: .seconds(3600))
    }

    func revoke(_ tokens: AuthTokens) async throws(AuthError) { revocations += 1 }
    func tokens(for credential: Credential) async throws(AuthError) -> AuthTokens { throw .unsupported }
    func resetPassword(email: String) async throws(AuthError) { throw .unsupported }
    func deleteAccount(_ tokens: AuthTokens) async throws(AuthError) { throw .unsupported }
}
