import Foundation
import TestIssuer
import TestSupport
import Testing

@testable import Sessions
@testable import OpenIDSessions

/// Faults of an issuer, and their effect on the session.
@Suite struct IssuerFaultTests {
    /// A new session of `jane`.
    private func signedIn(
        at issuer: Issuer, clock: any Clock<Duration> = .continuous, storage: any SessionStorage = MemoryStorage()
    ) async throws -> SessionController {
        let backend = try OpenIDBackend(issuer)
        let controller = SessionController(storage: storage, backend: backend, clock: clock)
        await controller.setTokens(try await backend.signIn("jane", at: issuer))
        return controller
    }

    private static let definite: [Fault] = [
        .refuse("invalid_grant"), .refuse("invalid_client"), .refuse("unauthorized_client"),
    ]

    @Test(arguments: definite) func aDefiniteRefusalEndsTheSession(_ fault: Fault) async throws {
        try await Issuer.run { issuer in
            let controller = try await signedIn(at: issuer)
            await issuer.fail(.token, with: fault)
            await #expect(throws: SessionError.signedOut) {
                try await controller.token(rejected: controller.getAccessToken())
            }
            #expect(await controller.state == .signedOut(.remote))
        }
    }

    /// Also when a refresh between the two brought no id token, and after a restart.
    @Test(arguments: [true, false])
    func aRefreshThatBringsAnotherPersonEndsTheSession(_ isRestored: Bool) async throws {
        try await Issuer.run { issuer in
            let storage = MemoryStorage()
            var controller = try await signedIn(at: issuer, storage: storage)
            if isRestored {
                let session = try StoredSession(reading: try #require(try storage.load()))
                var tokens = session.tokens
                tokens.idToken = nil
                let later = StoredSession(
                    session.facts, tokens: tokens, subject: session.subject, receivedAt: Date())
                try storage.save(later.encoded())
                controller = SessionController(storage: storage, backend: try OpenIDBackend(issuer))
            }
            await issuer.fail(.token, with: .claim(.sub, "mallory"))
            let old = await controller.getAccessToken()
            await #expect(throws: SessionError.signedOut) { try await controller.token(rejected: old) }
            #expect(await controller.state == .signedOut(.remote))
            #expect(await issuer.sessions == 0, "the tokens of the other person are revoked")
        }
    }

    private static let passing: [Fault] = [
        .status(400), .status(401), .status(403), .status(404), .status(408), .status(429), .status(500),
        .status(502), .status(503), .status(504), .status(204), .status(302), .garbage,
        .refuse("temporarily_unavailable"), .refuse("server_error"),
    ]

    @Test(arguments: passing.map { ($0, 1) } + [(.status(429, retryAfter: 7), 7), (.status(503, retryAfter: 7), 7)])
    func answerWithoutADefiniteRefusalKeepsTheSession(_ fault: Fault, _ pause: Int) async throws {
        try await Issuer.run { issuer in
            let clock = ManualClock()
            let controller = try await signedIn(at: issuer, clock: clock)
            let old = await controller.getAccessToken()
            await issuer.fail(.token, with: fault)
            await #expect(throws: SessionError.unreachable(retryAfter: .seconds(pause))) {
                try await controller.token(rejected: old)
            }
            #expect(await controller.state == .authenticated)
            clock.advance(by: .seconds(pause - 1))
            await #expect(throws: SessionError.unreachable(retryAfter: .seconds(1))) {
                try await controller.token(rejected: old)
            }
            clock.advance(by: .seconds(1))
            #expect(try await controller.token(rejected: old) != old)
        }
    }

    @Test(arguments: [Fault.drop, .lose, .cut])
    func lostConnectionKeepsTheSessionAtAnIssuerWithGrace(_ fault: Fault) async throws {
        var options = Issuer.Options()
        options.grace = .seconds(3600)
        try await Issuer.run(options) { issuer in
            let controller = try await signedIn(at: issuer)
            await issuer.fail(.token, with: fault)
            let token = try await controller.token(rejected: controller.getAccessToken())
            #expect(await issuer.accepts(token))
            #expect(await issuer.counts == .init(signIns: 1, refreshes: fault == .drop ? 1 : 2))
        }
    }

    /// No client can recover: the old token is used up, and the new one was lost.
    @Test func aLostAnswerOfAnIssuerWithoutGraceEndsTheSession() async throws {
        try await Issuer.run { issuer in
            let controller = try await signedIn(at: issuer)
            await issuer.fail(.token, with: .lose)
            await #expect(throws: SessionError.signedOut) {
                try await controller.token(rejected: controller.getAccessToken())
            }
            #expect(await issuer.counts.reuses == 1)
            #expect(await issuer.requests[.token] == 3, "the sign-in, the refresh, and the refresh once more")
        }
    }

    @Test func refreshIsNotRedirectedToAnotherHost() async throws {
        try await Issuer.run { stranger in
            try await Issuer.run { issuer in
                let controller = try await signedIn(at: issuer, clock: ManualClock())
                await issuer.fail(.token, with: .redirect(stranger.url.absoluteString + "/token"))
                await issuer.fail(.revocation, with: .redirect(stranger.url.absoluteString + "/revoke"))
                await #expect(throws: SessionError.unreachable(retryAfter: .seconds(1))) {
                    try await controller.token(rejected: controller.getAccessToken())
                }
                let tokens = try #require(await controller.clear())
                await #expect(throws: SessionError.unreachable(retryAfter: nil)) { try await controller.revoke(tokens) }
                #expect(await stranger.requests.isEmpty)
            }
        }
    }

    @Test func aStartWithTheIssuerDownKeepsTheSession() async throws {
        let storage = MemoryStorage()
        let port = try await Issuer.run { issuer in
            _ = try await signedIn(at: issuer, storage: storage)
            return issuer.url
        }
        let backend = try OpenIDBackend(
            issuer: port, clientID: "app", redirectURI: try #require(URL(string: "http://127.0.0.1/callback")))
        let controller = SessionController(storage: storage, backend: backend, clock: ManualClock())
        #expect(await controller.state == .authenticated)
        await #expect(throws: SessionError.unreachable(retryAfter: .seconds(1))) {
            try await controller.token(rejected: controller.getAccessToken())
        }
        #expect(await controller.state == .authenticated)
        #expect(try storage.load() != nil)
    }

    @Test func anIssuersWrongClockDoesNotMatter() async throws {
        for ahead in [Duration.seconds(86_400), .seconds(-86_400)] {
            try await Issuer.run { issuer in
                await issuer.setClock(ahead: ahead)
                let controller = try await signedIn(at: issuer)
                for _ in 0..<10 { _ = try await controller.token() }
                #expect(await issuer.counts.refreshes == 0)
            }
        }
    }
}
