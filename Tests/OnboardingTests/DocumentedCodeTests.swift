import Foundation
import Onboarding
import TestIssuer
import TestSupport
import Testing

/// `docs/onboarding.md` shows `ExampleSignUp.swift`, which is compiled and run here.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DocumentedCodeTests {
    @Test func exampleLeadsToAProfile() async throws {
        let folder = URL(fileURLWithPath: TemporaryFolder.make("onboarding"))
        let redirectURI = try #require(URL(string: "http://127.0.0.1/callback"))
        try await Issuer.run { issuer in
            try await Place.run { place in
                let profiles = Profiles()
                @MainActor func launch() throws -> ExampleSignUp {
                    try ExampleSignUp(
                        issuer: issuer.url, redirectURI: redirectURI, registry: place.base, folder: folder,
                        profiles: profiles.store)
                }
                let app = try launch()
                await app.manager.checkAuthState()
                #expect(app.screen == "Welcome")
                try await app.signIn(from: issuer.signIn(at: app.signInPage(), as: "jane"))
                #expect(app.screen == "Choose a handle")
                let onboarding = try #require(app.manager.onboarding)
                try await onboarding.hold("JaneRoe")
                onboarding.submit()
                try await eventually("it is done") { app.screen == "@JaneRoe" }
                let next = try launch()
                await next.manager.checkAuthState()
                #expect(next.screen == "@JaneRoe")
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
