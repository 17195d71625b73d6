import Foundation
import HandleRegistry
import HandleServer
import Onboarding
import TestIssuer
import TestService
import TestSupport
import Testing

/// `docs/onboarding.md` shows `ExampleSignUp.swift`, which is compiled and run here.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DocumentedCodeTests {
    @Test func exampleLeadsToAProfile() async throws {
        let folder = URL(fileURLWithPath: TemporaryFolder.make("onboarding"))
        let redirectURI = try #require(URL(string: "http://127.0.0.1/callback"))
        let registry = try await freshRegistry(policy: Policy())
        try await TestIssuer.run { issuer in
            try await withApplication(
                registry,
                authenticator: Authenticator(first: nil, ring: KeyRing(), tokens: UnsignedToken.verifier())
            ) { port in
                let service = try #require(URL(string: "http://127.0.0.1:\(port)"))
                let profiles = Profiles()
                func launch() async throws -> ExampleSignUp {
                    try await ExampleSignUp(
                        issuer: issuer.url, redirectURI: redirectURI, registry: service, folder: folder,
                        profiles: profiles.store)
                }
                let app = try await launch()
                await app.manager.checkAuthState()
                #expect(await app.screen == "Welcome")
                try await app.signIn(from: issuer.signIn(at: app.signInPage(), as: "jane"))
                #expect(await app.screen == "Choose a handle")
                let onboarding = try #require(await app.manager.onboarding)
                await MainActor.run {
                    onboarding.field.text = "JaneRoe"
                    onboarding.next()
                }
                try await eventually("it is held") { await onboarding.step == .displayName }
                await MainActor.run {
                    onboarding.displayName = "Jane Roe"
                    onboarding.next()
                }
                try await eventually("it is done") { await app.screen == "@JaneRoe" }
                let next = try await launch()
                await next.manager.checkAuthState()
                #expect(await next.screen == "@JaneRoe")
            }
        }
    }

    @Test func documentShowsTheExampleUnchanged() throws {
        let example = try Repository.text("Tests/OnboardingTests/ExampleSignUp.swift")
        #expect(try Repository.text("docs/onboarding.md").contains("```swift\n\(example)```"))
        #expect(example.split(separator: "\n").count <= 40)
    }

    /// Each state of the machine, in the picture and in the table.
    @Test func documentDescribesEveryState() throws {
        let document = try Repository.text("docs/onboarding.md")
        for state in [
            "empty", "malformed", "checking", "available", "unavailable", "unknown", "held", "displayName", "claimed",
            "done",
        ] {
            #expect(document.contains("--> \(state)") || document.contains("\(state) -->"), "no arrow of \(state)")
            #expect(document.contains("| `\(state)`"), "nothing of \(state) in the table")
        }
    }
}
