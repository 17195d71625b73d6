#if IdentityTokens
import Foundation
import HandleClient
import Onboarding
import Sessions
import TestIssuer
import TestService
import TestSupport
import Testing

/// Leads a person from the sign-in at an issuer to a claimed handle. The real program checks the tokens.
@MainActor @Suite(.timeLimit(.minutes(5))) struct RealIssuerTests {
    @Test func signedInPersonGetsAHandle() async throws {
        let folder = TemporaryFolder.make("onboarding")
        let redirectURI = try #require(URL(string: "http://127.0.0.1/callback"))
        var options = TestIssuer.Options()
        // A refresh brings no id token, so the access token is sent then.
        options.refreshBringsIDToken = false
        try await TestIssuer.run(options) { issuer in
            let address = issuer.url.absoluteString
            try #"[{"issuer":"\#(address)","audience":"app","keys":"\#(address)/keys"}]"#.write(
                toFile: "\(folder)/issuers.json", atomically: true, encoding: .utf8)
            let service = try await Service(in: folder, ["HANDLES_TOKEN_ISSUERS": "issuers.json"])
            let registry = try #require(URL(string: "http://127.0.0.1:\(service.client.port)"))
            let profiles = Profiles()
            let app = try await ExampleSignUp(
                issuer: issuer.url, redirectURI: redirectURI, registry: registry,
                folder: URL(fileURLWithPath: folder + "/session"), profiles: profiles.store)
            await app.manager.checkAuthState()
            try await app.signIn(from: issuer.signIn(at: app.signInPage(), as: "jane"))
            let onboarding = try #require(await app.manager.onboarding)
            await MainActor.run {
                onboarding.field.text = "JaneRoe"
                onboarding.next()
            }
            try await eventually("it is held") { await onboarding.step == .displayName }
            // The id token is rejected, as an expired one is.
            let controller = await app.manager.auth.controller
            let old = try await controller.identityToken()
            #expect(try await controller.identityToken(rejected: old) != old)
            await MainActor.run {
                onboarding.displayName = "Jane Roe"
                onboarding.next()
            }
            try await eventually("it is done") { await app.screen == "@JaneRoe" }
            let key = try #require(service.client.key)
            let record = try await HandleClient(base: registry, credential: .key(key)).record(of: "janeroe")
            #expect(record?.owner == "\(address)|jane" && profiles.all["jane"]?.handle == "janeroe")
            #expect(await service.end(SIGTERM) == 0)
        }
    }
}
#endif
