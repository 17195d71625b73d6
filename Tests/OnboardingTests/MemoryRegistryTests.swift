import Foundation
import HandleClient
import HandleClientTesting
import HandleRules
import Onboarding
import Sessions
import TestSupport
import Testing

/// Previews and tests of an app need no service.
@MainActor @Suite struct MemoryRegistryTests {
    @Test func previewOfATakenNameHasFiveSuggestions() {
        let names = ["jane_roe", "janeroe1", "the_janeroe", "janer", "jroe"]
        let field = HandleField.preview(.prepared("JaneRoe", reasons: [.taken(.claimed)], suggestions: names))
        #expect(field.message == "This name is taken." && field.isFaulty)
        #expect(field.suggestions.map(\.description) == names)
        #expect(HandleField.preview(.prepared("JaneRoe")).isValid)
        #expect(HandleField.preview(.prepared("jo")).isFaulty)
    }

    @Test func previewOfALockedPersonSaysUntilWhen() {
        let locked = HandleField.preview(.prepared("JaneRoe", reasons: [.ownerLocked(until: 1_800_000_000)]))
        #expect(locked.message?.contains("until 15 January 2027") == true && locked.suggestions.isEmpty)
        let often = HandleField.preview(.prepared("JaneRoe", reasons: [.tooManyChanges(until: 1_800_000_000)]))
        #expect(often.message?.contains("from 15 January 2027") == true && often.isFaulty)
    }

    @Test func registryAnswersAsTheServiceDoes() async throws {
        let registry = MemoryRegistry(taken: ["JohnDoe"])
        let (jane, joe) = (RegistryClient(registry), RegistryClient(registry, person: "joe"))
        let taken = try await jane.availability(of: "johndoe")
        #expect(!taken.available && taken.reasons.map(\.code) == [.taken] && taken.suggestions.count == 5)
        #expect(try await jane.availability(ofEach: ["jo", "janeroe"]).map(\.status) == [.invalid, .available])
        #expect(try await jane.hold("janeroe").handle == Handle("janeroe"))
        #expect(try await joe.availability(of: "janeroe").reasons.map(\.code) == [.taken])
        #expect(try await jane.claim("JaneRoe").state == .claimed)
        #expect(try await jane.claim("JANEROE").display.description == "JaneRoe")
        #expect(try await jane.recase("janeroe", as: "JANEroe").display.description == "JANEroe")
        #expect(try await jane.rename("janeroe", to: "JaneROE").display.description == "JaneROE")
        let mismatch = await #expect(throws: HandleClientError.self) { try await jane.recase("janeroe", as: "johnroe") }
        #expect(mismatch?.problem?.code == .displayMismatch)
        let second = await #expect(throws: HandleClientError.self) { try await jane.claim("another") }
        #expect(second?.reasons.map(\.code) == [.ownerFull])
        #expect(try await jane.rename("janeroe", to: "Jane_Roe").display.description == "Jane_Roe")
        #expect(try await jane.handles(of: .me).map(\.handle) == [Handle("jane_roe")])
        #expect(try await joe.record(of: "jane_roe")?.state == .claimed)
        #expect(try await joe.record(of: "janeroe") == nil)
        let refused = await #expect(throws: HandleClientError.self) { try await joe.claim("jane_roe") }
        #expect(refused?.reasons.map(\.code) == [.taken])
        try await jane.release("jane_roe")
        #expect(registry.claimed == ["JohnDoe"])
    }

    @Test func writeWithTheSameKeyTakesEffectOnce() async throws {
        let jane = RegistryClient(MemoryRegistry())
        let key = RegistryClient.newIdempotencyKey()
        _ = try await jane.claim("janeroe")
        let first = try await jane.rename("janeroe", to: "roe_jane", idempotencyKey: key)
        // Without the key, the old name would not be found.
        #expect(try await jane.rename("janeroe", to: "roe_jane", idempotencyKey: key).version == first.version)
    }

    @Test func nextCallsFailAsTheTestSays() async throws {
        let registry = MemoryRegistry()
        registry.fail(with: .cancelled, .unreachable)
        // The first error is final, the second one is repeated by the client.
        let error = await #expect(throws: HandleClientError.self) {
            try await RegistryClient(registry).availability(of: "janeroe")
        }
        #expect(error?.code == .cancelled)
        #expect(try await RegistryClient(registry).availability(of: "janeroe").available)
    }

    /// An app is walked through from the sign-in to the profile.
    @Test func wholeOnboardingRunsInMemory() async throws {
        let registry = MemoryRegistry(taken: ["johndoe"])
        var configuration = OnboardingConfiguration()
        configuration.transport = registry
        let app = AuthStateManager(
            backend: MemoryBackend(), storage: MemoryStorage(),
            registry: try #require(URL(string: "https://registry.example")),
            profiles: Profiles().store, configuration: configuration)
        try await app.auth.signUp(email: "jane@example.com", password: "secret", username: "jane")
        #expect(app.state == .authenticatedNoProfile(userId: "1"))
        try await app.createProfile(handle: "janeroe", displayHandle: "JaneRoe", displayName: "Jane Roe")
        #expect(registry.claimed == ["JaneRoe", "johndoe"])
        guard case .authenticated(let profile) = app.state else { throw Missing() }
        #expect(profile.displayHandle == "JaneRoe")
    }

    private struct Missing: Error {}
}
