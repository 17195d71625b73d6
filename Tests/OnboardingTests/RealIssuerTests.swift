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
        var options = Issuer.Options()
        // A refresh brings no id token, so the access token is sent then.
        options.refreshBringsIDToken = false
        try await Issuer.run(options) { issuer in
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
            let admin = RegistryClient(
                base: registry, credential: .key(key), transport: URLSessionTransport.patient, limits: .patient)
            let record = try await admin.record(of: "janeroe")
            #expect(record?.owner == "\(address)|jane" && profiles.all["jane"]?.handle == "janeroe")
            #expect(await service.end(SIGTERM) == 0)
        }
    }

    /// Each refusal has a sentence of its own. Only the last one, after the issuer has ended the session, asks the
    /// person to sign in.
    @Test func refusalsOfATokenAreToldApart() async throws {
        let redirectURI = try #require(URL(string: "http://127.0.0.1/callback"))
        try await Issuer.run { @MainActor issuer in
            let address = issuer.url.absoluteString
            @MainActor func begin(_ issuers: String?) async throws -> (Service, ExampleSignUp, OnboardingModel) {
                let folder = TemporaryFolder.make("onboarding")
                try issuers?.write(toFile: "\(folder)/issuers.json", atomically: true, encoding: .utf8)
                let service = try await Service(
                    in: folder, issuers == nil ? [:] : ["HANDLES_TOKEN_ISSUERS": "issuers.json"])
                let app = try ExampleSignUp(
                    issuer: issuer.url, redirectURI: redirectURI,
                    registry: try #require(URL(string: "http://127.0.0.1:\(service.client.port)")),
                    folder: URL(fileURLWithPath: folder + "/session"), profiles: Profiles().store)
                try await app.signIn(from: issuer.signIn(at: app.signInPage(), as: "jane"))
                return (service, app, try #require(app.manager.onboarding))
            }
            func entry(_ issuer: String) -> String {
                #"[{"issuer":"\#(issuer)","audience":"app","keys":"\#(address)/keys"}]"#
            }
            for (issuers, cause, beginning) in [
                (nil, .tokensNotAccepted, "The service for handles is not set up for sign-ins yet. "),
                (entry("https://nobody.example"), .unknownIssuer, "The service for handles does not know the service "),
            ] as [(String?, CallFailure.Misconfiguration, String)] {
                let before = await issuer.requests[.token] ?? 0
                let (service, app, onboarding) = try await begin(issuers)
                for _ in 0..<3 {
                    try await eventually("it is refused") { onboarding.machine.failure == .misconfigured(cause) }
                    #expect(onboarding.message?.hasPrefix(beginning) == true)
                    #expect(!onboarding.needsSignIn && app.manager.auth.isAuthenticated)
                    onboarding.start()
                }
                #expect(await issuer.requests[.token] == before + 1, "no token is refreshed in vain")
                #expect(await service.end(SIGTERM) == 0)
            }

            // The issuer's clock is late, so that its tokens have expired when they are issued.
            await issuer.setClock(ahead: .seconds(-7200))
            let (service, app, onboarding) = try await begin(entry(address))
            let isNew = CallFailure.misconfigured(.newTokenRejected)
            try await eventually("a new token is refused") { onboarding.machine.failure == isNew }
            #expect(onboarding.message?.hasPrefix("The service for handles does not accept your sign-in") == true)
            await issuer.endSessions(of: "jane")
            onboarding.start()
            try await eventually("the session has ended") { onboarding.needsSignIn }
            #expect(onboarding.message?.hasPrefix("Your session has ended. Sign in again") == true)
            await issuer.setClock(ahead: .zero)
            try await app.signIn(from: issuer.signIn(at: app.signInPage(), as: "jane"))
            try await eventually("the next sign-in is accepted") {
                !onboarding.machine.isResuming && onboarding.message == nil
            }
            #expect(await service.end(SIGTERM) == 0)
        }
    }
}
#endif
