import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import Sessions

/// A request of one session has no effect on the next session.
@Suite struct SessionGenerationTests {
    enum Ending: CaseIterable {
        case signOut, anotherSignIn, both
    }

    @Test(arguments: GatedBackend.Step.allCases, Ending.allCases)
    func aLateRefreshDoesNotChangeTheNextSession(_ step: GatedBackend.Step, _ ending: Ending) async throws {
        let session = try await SignedIn()
        let (controller, backend) = (session.controller, session.backend)
        let old = await controller.getAccessToken()
        let newcomer = try await backend.tokens(for: .anonymous)
        await backend.close(step)
        let caller = Task { try await controller.token(rejected: old) }
        try await eventually("the refresh is under way") { await backend.waiting == 1 }

        if ending != .anotherSignIn { await controller.clear() }
        if ending != .signOut { await controller.setTokens(newcomer) }
        await #expect(throws: ending == .anotherSignIn ? SessionError.superseded : .signedOut) {
            try await caller.value
        }
        let stored = try session.storage.memory.load()
        await backend.open()
        try await eventually("the late tokens are revoked") { await backend.revoked.count == 1 }

        #expect(await controller.getAccessToken() == (ending == .signOut ? nil : newcomer.accessToken))
        #expect(try session.storage.memory.load() == stored)
        let late = try #require(await backend.revoked.first)
        #expect(late.accessToken != old)
        #expect(await !backend.issuer.accepts(late.accessToken))
        #expect(await backend.issuer.accepts(newcomer.accessToken))
        if ending != .signOut {
            // A refresh of the next session works, and does not wait.
            #expect(try await controller.token(rejected: newcomer.accessToken) != newcomer.accessToken)
        }
    }

    @Test func lateRefusalOfAnEndedSessionDoesNotEndTheNextOne() async throws {
        let session = try await SignedIn()
        let (controller, backend) = (session.controller, session.backend)
        let first = try #require(await controller.live?.tokens)
        await backend.close(.there)
        let caller = Task { try await controller.token(rejected: first.accessToken) }
        try await eventually("the refresh is under way") { await backend.waiting == 1 }
        let refresh = await controller.flight?.task
        let newcomer = try await backend.tokens(for: .anonymous)
        await controller.setTokens(newcomer)
        await #expect(throws: SessionError.superseded) { try await caller.value }
        try await backend.issuer.revoke(first)
        await backend.open()
        // Wait until the refusal has arrived at the controller.
        await refresh?.value
        #expect(try await controller.token() == newcomer.accessToken)
        #expect(await controller.state == .authenticated)
    }

    @Test func signInOvertakenByASignOutIsRefused() async throws {
        let controller = SessionController()
        let generation = await controller.currentGeneration
        await controller.clear()
        await #expect(throws: SessionError.superseded) {
            try await controller.beginSession(with: AuthTokens(accessToken: "late"), generation: generation)
        }
        #expect(await controller.state == .signedOut(.requested))
    }

    @Test func aSignInThatCannotBeSavedChangesNothing() async throws {
        let session = try await SignedIn()
        let before = await session.controller.getAccessToken()
        session.storage.state.withLockedValue { $0.isWritable = false }
        await #expect(throws: SessionError.storage(StorageError(.notSaved, "disk full"))) {
            try await session.controller.beginSession(with: AuthTokens(accessToken: "next"))
        }
        #expect(await session.controller.getAccessToken() == before)
    }

    @Test func hungRevocationTimesOutAfterFiveSeconds() async throws {
        let clock = ManualClock()
        let controller = SessionController(backend: HungBackend(), clock: clock)
        let revocation = Task { try await controller.revoke(AuthTokens(accessToken: "old")) }
        try await eventually("the limit is set") { clock.sleepers == 1 }
        clock.advance(by: .seconds(5))
        await #expect(throws: AuthError.unreachable(retryAfter: nil)) { try await revocation.value }
    }
}

/// An issuer that never answers, and ignores cancellation.
private struct HungBackend: AuthBackend {
    func tokens(for credential: Credential) async throws(AuthError) -> AuthTokens { throw .unsupported }
    func refresh(_ refreshToken: String) async throws(AuthError) -> AuthTokens { throw .unsupported }
    func revoke(_ tokens: AuthTokens) async throws(AuthError) {
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        await Task { for await _ in never {} }.value
        continuation.finish()
    }
    func resetPassword(email: String) async throws(AuthError) {}
    func deleteAccount(_ tokens: AuthTokens) async throws(AuthError) {}
}
