import Foundation
import Sessions
import TestIssuer
import TestSupport
import Testing

/// `docs/sessions.md` shows `ExampleApp.swift`, which is compiled here.
@MainActor @Suite struct DocumentedCodeTests {
    @Test func theExampleSignsInAndIsSignedInAfterARestart() async throws {
        let folder = URL(fileURLWithPath: TemporaryFolder.make("sessions"))
        let redirectURI = try #require(URL(string: "http://127.0.0.1/callback"))
        try await Issuer.run { issuer in
            let app = try await ExampleApp(issuer: issuer.url, redirectURI: redirectURI, folder: folder)
            let callback = try await issuer.signIn(at: app.signInPage(), as: "jane")
            try await app.signIn(from: callback)
            #expect(await app.auth.currentUser?.email == "jane@example.com")

            let next = try await ExampleApp(issuer: issuer.url, redirectURI: redirectURI, folder: folder)
            await next.auth.restoreSession()
            #expect(await next.auth.currentUser?.sub == "jane")
            await next.auth.signOut()
            #expect(await issuer.sessions == 0)
            #expect(await !next.auth.isAuthenticated)
        }
    }

    @Test func documentShowsTheExampleUnchanged() throws {
        let document = try Repository.text("docs/sessions.md")
        for file in ["ExampleApp.swift", "ExampleTest.swift"] {
            let example = try Repository.text("Tests/SessionsTests/\(file)")
            #expect(document.contains("```swift\n\(example)```"), "\(file)")
        }
    }
}
