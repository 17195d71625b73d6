import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import Sessions

@Suite struct SessionControllerTests {
    @Test func controllerWithoutASessionHasNoToken() async {
        let controller = SessionController()
        #expect(await controller.getAccessToken() == nil)
        #expect(await controller.currentAccessToken() == nil)
        #expect(await controller.state == .signedOut(.neverSignedIn))
        await #expect(throws: SessionError.signedOut) { try await controller.token() }
        await #expect(throws: SessionError.noRefreshToken) { try await controller.refreshTokenIfNeeded() }
    }

    @Test(arguments: [(600, 540), (30, 15)])
    func aTokenIsRenewedAMinuteOrHalfItsLifetimeBeforeItEnds(_ lifetime: Int, _ due: Int) async throws {
        let session = try await SignedIn(lifetime: .seconds(lifetime))
        let first = try await session.controller.token()
        session.clock.advance(by: .seconds(due - 1))
        #expect(await session.controller.currentAccessToken() == first)
        session.clock.advance(by: .seconds(1))
        let second = try await session.controller.refreshTokenIfNeeded()
        #expect(second != first)
        #expect(try await session.controller.token() == second)
        #expect(await session.backend.issuer.accepts(second))
        #expect(await session.backend.requests == 1)
    }

    @Test func oneRefreshServesAThousandCallers() async throws {
        let session = try await SignedIn()
        let controller = session.controller
        for expiry in 1...200 {
            let old = await controller.getAccessToken()
            // The callers have either an expired token or a token that was answered with 401.
            if expiry.isMultiple(of: 2) { session.clock.advance(by: .seconds(3600)) }
            let tokens = await withTaskGroup { group in
                for _ in 0..<1_000 {
                    group.addTask { try? await controller.token(rejected: expiry.isMultiple(of: 2) ? nil : old) }
                }
                return await group.reduce(into: [String?: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(Array(tokens.values) == [1_000])
            #expect(tokens.keys.first != .some(nil) && tokens.keys.first != old)
        }
        #expect(await session.backend.requests == 200)
    }

    @Test func callerWithAnOldRejectedTokenGetsThePresentOne() async throws {
        let session = try await SignedIn()
        let first = try await session.controller.token()
        let second = try await session.controller.token(rejected: first)
        #expect(try await session.controller.token(rejected: first) == second)
        #expect(await session.backend.requests == 1)
    }

    @Test(arguments: [GatedBackend.Gate.refresh, .refreshed])
    func cancelledCallerReturnsAndTheOthersGetTheToken(_ gate: GatedBackend.Gate) async throws {
        let session = try await SignedIn()
        let (controller, backend) = (session.controller, session.backend)
        await backend.close(gate)
        session.clock.advance(by: .seconds(3600))
        let first = Task { try await controller.token() }
        try await eventually("the refresh is under way") { await backend.waiting == 1 }
        let others = (0..<10).map { _ in Task { try await controller.token() } }
        try await eventually("all wait") { await controller.waiting == 11 }
        first.cancel()
        await #expect(throws: SessionError.cancelled) { try await first.value }
        await backend.open()
        var tokens: Set<String> = []
        for other in others { tokens.insert(try await other.value) }
        #expect(tokens.count == 1)
        #expect(await backend.requests == 1)
    }

    @Test func callersOfAHungIssuerTimeOutAfterThirtySeconds() async throws {
        let session = try await SignedIn()
        let (controller, backend, clock) = (session.controller, session.backend, session.clock)
        let old = await controller.getAccessToken()
        await backend.close(.refreshed)
        let caller = Task { try await controller.token(rejected: old) }
        try await eventually("the refresh is under way") { await backend.waiting == 1 }
        try await eventually("its timeout is set") { clock.sleepers == 1 }
        clock.advance(by: .seconds(30))
        await #expect(throws: SessionError.timedOut) { try await caller.value }
        #expect(await controller.state == .authenticated)
        // The late answer has the session's only valid token, so it is used.
        await backend.open()
        try await eventually("the late answer is taken") { await controller.getAccessToken() != old }
        #expect(await backend.issuer.accepts(try controller.token()))
        #expect(await backend.requests == 1)
    }

    @Test(arguments: [
        SessionError.unreachable(retryAfter: nil), .unreachable(retryAfter: .seconds(20)), .answerLost, .cancelled,
    ])
    func sessionStaysWithoutADefiniteRefusal(_ error: SessionError) async throws {
        let session = try await SignedIn()
        let (controller, backend) = (session.controller, session.backend)
        let old = await controller.getAccessToken()
        await backend.fail(error, error)
        await #expect(throws: SessionError.self) { try await controller.token(rejected: old) }
        #expect(await controller.state == .authenticated)
        #expect(try session.storage.memory.load() != nil)
        session.clock.advance(by: .seconds(60))
        try await eventually("both faults were met") {
            _ = try? await controller.token(rejected: old)
            return await backend.requests >= 2
        }
        session.clock.advance(by: .seconds(60))
        #expect(try await controller.token(rejected: old) != old)
    }

    @Test func failedRefreshIsRetriedWithGrowingBackOff() async throws {
        let session = try await SignedIn()
        let (controller, backend) = (session.controller, session.backend)
        let old = await controller.getAccessToken()
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            await backend.fail(.unreachable(retryAfter: nil))
            await #expect(throws: SessionError.unreachable(retryAfter: .seconds(seconds))) {
                try await controller.token(rejected: old)
            }
            let requests = await backend.requests
            await #expect(throws: SessionError.unreachable(retryAfter: .seconds(seconds))) {
                try await controller.token(rejected: old)
            }
            #expect(await backend.requests == requests)
            session.clock.advance(by: .seconds(seconds))
        }
        await backend.fail(.unreachable(retryAfter: .seconds(300)))
        await #expect(throws: SessionError.unreachable(retryAfter: .seconds(300))) {
            try await controller.token(rejected: old)
        }
    }

    @Test func validTokenIsUsedWhileTheIssuerIsDown() async throws {
        let session = try await SignedIn(lifetime: .seconds(600))
        let first = try await session.controller.token()
        session.clock.advance(by: .seconds(550))
        await session.backend.fail(.unreachable(retryAfter: nil))
        #expect(try await session.controller.token() == first)
        session.clock.advance(by: .seconds(50))
        #expect(try await session.controller.token() != first)
    }

    @Test func sessionWithoutARefreshTokenGivesNoExpiredToken() async throws {
        let clock = ManualClock()
        let controller = SessionController(backend: MemoryBackend(), clock: clock)
        await controller.setTokens(AuthTokens(accessToken: "access", expiresIn: .seconds(600)))
        clock.advance(by: .seconds(590))
        #expect(try await controller.token() == "access")
        clock.advance(by: .seconds(10))
        await #expect(throws: SessionError.noRefreshToken) { try await controller.token() }
        // The token is young, but it is rejected because it has ended.
        await #expect(throws: SessionError.noRefreshToken) { try await controller.token(rejected: "access") }
        #expect(await controller.currentAccessToken() == nil)
        #expect(await controller.state == .authenticated)
    }

    /// A service that does not know the issuer rejects every token, so a new sign-in does not help.
    @Test(arguments: [(0, true), (299, true), (300, false), (-1, false)] as [(Double, Bool)])
    func rejectedTokenWithoutARefreshTokenEndsTheSessionOnlyIfItIsOld(_ age: Double, _ isNew: Bool) async throws {
        let now = NIOLockedValueBox(Date())
        let controller = SessionController(backend: MemoryBackend(), now: { now.withLockedValue(\.self) })
        await controller.setTokens(AuthTokens(accessToken: "access"))
        now.withLockedValue { $0 += age }
        await #expect(throws: isNew ? SessionError.newTokenRejected : .noRefreshToken) {
            try await controller.token(rejected: "access")
        }
        #expect(await controller.state == .authenticated)
    }

    /// The code of an error decides, whatever its description is.
    @Test func backendMayDescribeItsErrors() async throws {
        let session = try await SignedIn()
        let old = await session.controller.getAccessToken()
        await session.backend.fail(SessionError(.answerLost, "the socket was closed"))
        #expect(try await session.controller.token(rejected: old) != old)
        #expect(await session.backend.requests == 2)
        await session.backend.fail(SessionError(.unsupported, "no refresh here"))
        let error = await #expect(throws: SessionError.self) {
            try await session.controller.token(rejected: session.controller.getAccessToken())
        }
        #expect(error == .newTokenRejected)
        #expect("\(SessionError(.answerLost, "the socket was closed"))" == "the socket was closed")
    }

    @Test func anOldIDTokenIsDroppedAtARefresh() async throws {
        let session = try await SignedIn()
        var tokens = try await session.backend.tokens(for: .anonymous)
        tokens.idToken = "identity"
        await session.controller.setTokens(tokens)
        #expect(try await session.controller.identityToken() == "identity")
        // The issuer's refresh brings no id token.
        let next = try await session.controller.identityToken(rejected: "identity")
        #expect(next == (await session.controller.getAccessToken()))
    }

    @Test func identityTokenIsGivenForItsOwnSessionOnly() async throws {
        let session = try await SignedIn()
        let first = try #require(await session.controller.current?.id)
        #expect(try await session.controller.identityToken(of: first) == session.controller.identityToken())
        await session.controller.setTokens(try await session.backend.tokens(for: .anonymous))
        await #expect(throws: SessionError.superseded) { try await session.controller.identityToken(of: first) }
        await session.controller.clear()
        await #expect(throws: SessionError.signedOut) { try await session.controller.identityToken(of: first) }
    }

    /// A device with a clock that is wrong by a day, either way, refreshes each token at most once.
    @Test(arguments: [-86_400.0, 0, 86_400]) func aWrongClockCausesNoRefreshLoop(_ offset: Double) async throws {
        let storage = MemoryStorage()
        let backend = GatedBackend()
        let clock = ManualClock()
        let first = SessionController(storage: storage, backend: backend, clock: clock)
        await first.setTokens(try await backend.tokens(for: .anonymous))
        let moved = SessionController(
            storage: storage, backend: backend, clock: clock, now: { Date(timeIntervalSinceNow: offset) })
        for _ in 0..<20 { _ = try await moved.token() }
        #expect(await backend.requests <= 1)
        let rejected = try await moved.token()
        let renewed = try await moved.token(rejected: rejected)
        for _ in 0..<20 { #expect(try await moved.token(rejected: rejected) == renewed) }
        #expect(await backend.requests <= 2)
    }

    @Test func hungRevocationTimesOutAfterFiveSeconds() async throws {
        let session = try await SignedIn()
        await session.backend.close(.revocation)
        let revocation = Task { try await session.controller.revoke(AuthTokens(accessToken: "old")) }
        try await eventually("the limit is set") { session.clock.sleepers == 1 }
        session.clock.advance(by: .seconds(5))
        await #expect(throws: SessionError.unreachable(retryAfter: nil)) { try await revocation.value }
        await session.backend.open()
    }

    // MARK: Streams of states

    @Test func lateReaderGetsTheNewestStateOnly() async {
        let controller = SessionController()
        var states = await controller.stateStream.makeAsyncIterator()
        for _ in 0..<10 {
            await controller.setTokens(AuthTokens(accessToken: "access"))
            await controller.clear()
        }
        await controller.setTokens(AuthTokens(accessToken: "last"))
        #expect(await states.next() == .authenticated)
    }

    @Test(.timeLimit(.minutes(5))) func hundredReadersThatStartAtRandomMomentsSeeTheLastState() async throws {
        let controller = SessionController()
        let changes = Task {
            for _ in 0..<200 {
                await controller.setTokens(AuthTokens(accessToken: "access"))
                await controller.clear()
                await Task.yield()
            }
            await controller.setTokens(AuthTokens(accessToken: "last"))
        }
        let readers = (0..<100).map { _ in
            Task {
                for _ in 0..<Int.random(in: 0..<200) { await Task.yield() }
                var last: SessionState?
                for await state in await controller.stateStream {
                    last = state
                    // Nothing comes after the last sign-in.
                    if state == .authenticated, await controller.getAccessToken() == "last" { break }
                }
                return last
            }
        }
        for reader in readers { #expect(await reader.value == .authenticated) }
        await changes.value
        try await eventually("no stream is left") { await controller.streams == 0 }
    }

    @Test func streamsEndWithTheController() async {
        var controller: SessionController? = SessionController()
        let stream = await controller?.stateStream
        controller = nil
        var states: [SessionState] = []
        if let stream { for await state in stream { states.append(state) } }
        #expect(states == [.signedOut(.neverSignedIn)])
    }
}

/// The session of a guest, with the parts that it is made of.
struct SignedIn {
    let clock = ManualClock()
    let storage = FaultyStorage()
    let backend: GatedBackend
    let controller: SessionController
    let events = NIOLockedValueBox<[SessionEvent]>([])

    init(lifetime: Duration = .seconds(3600)) async throws {
        backend = GatedBackend(lifetime: lifetime)
        controller = SessionController(
            storage: storage, backend: backend, clock: clock,
            report: { [events] event in events.withLockedValue { $0.append(event) } })
        await controller.setTokens(try await backend.tokens(for: .anonymous))
    }
}
