import Foundation
@testable import OpenIDSessions
@testable import CookieSessions
import TestIssuer
import Testing

@testable import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// No text that is shown to a person or written to a log contains a secret.
@Suite struct SecretTests {
    private static let canary = "canary-in-a-coal-mine"
    private static let tokens = AuthTokens(
        accessToken: canary, refreshToken: canary, idToken: canary, expiresIn: .seconds(60))

    @Test @MainActor func descriptionsAndDumpsShowNoSecret() async throws {
        let memory = MemoryStorage()
        try memory.save(Data(Self.canary.utf8))
        let backend = MemoryBackend()
        _ = try await backend.tokens(for: .newAccount(email: "a@example.com", password: Self.canary, username: "a"))
        let controller = SessionController(backend: backend)
        await controller.setTokens(Self.tokens)
        let issuer = try #require(URL(string: "https://issuer.example"))
        let openID = try OpenIDBackend(
            issuer: issuer, clientID: "app", clientSecret: Self.canary, redirectURI: issuer)
        let form = SignInForm { _, _ in }
        form.password = Self.canary
        let auth = AuthService(backend: MemoryBackend(), storage: MemoryStorage()) { _ in "Jane" }
        try await auth.createSession(tokens: Self.tokens, profile: "Jane")
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        var configuration = CookieSession.Configuration()
        configuration.storage = storage
        let session = try CookieSession(name: "a", base: issuer, configuration: configuration)
        session.jar.take(
            SetCookie.all(in: "a=\(Self.canary); Path=/", from: issuer, now: Date(), serverTime: nil), at: Date())
        #expect(session.isLoggedIn)
        let values: [Any] = [
            Self.tokens, Optional(Self.tokens) as Any, [Self.tokens], ["tokens": Self.tokens],
            Loadable.success(Self.tokens),
            Credential.password(email: "a@example.com", password: Self.canary),
            Credential.newAccount(email: "a@example.com", password: Self.canary, username: "a"),
            Credential.apple(idToken: Self.canary),
            AppleNonce().credential(idToken: Self.canary, authorizationCode: Self.canary),
            Credential.code(Self.canary, verifier: Self.canary),
            StoredSession(Session(startedAt: Date()), tokens: Self.tokens, receivedAt: Date()),
            memory, backend, controller, openID, form, auth, session,
        ]
        for value in values {
            var text = "\(value) \(String(reflecting: value)) "
            dump(value, to: &text)
            #expect(!text.contains(Self.canary), "\(type(of: value))")
            // The bytes of "ca", as a dump of Data shows them.
            #expect(!text.contains(/- 99\n *- 97\n/), "\(type(of: value))")
        }
    }

    @Test func aRequestForASignInShowsNoSecret() async throws {
        let request = try await Issuer.run { issuer in try await OpenIDBackend(issuer).authorization() }
        var text = "\(request) \(String(reflecting: request)) "
        dump(request, to: &text)
        for secret in [request.state, request.nonce, request.verifier] { #expect(!text.contains(secret)) }
    }

    @Test func aDumpOfDataWouldShowItsBytes() {
        var text = ""
        dump(Array(Self.canary.utf8), to: &text)
        #expect(text.contains(/- 99\n *- 97\n/))
    }

    @Test func errorsDoNotQuoteTheStoredContent() async throws {
        let storage = MemoryStorage()
        try storage.save(Data(#"{"version":1,"id":"\#(Self.canary)","tokens":"\#(Self.canary)"}"#.utf8))
        let controller = SessionController(storage: storage)
        do {
            _ = try await controller.token()
            Issue.record("no error")
        } catch {
            var text = "\(error) \(String(reflecting: error))"
            dump(error, to: &text)
            #expect(!text.contains(Self.canary))
        }
    }

    @Test func tokensAreCodedAsATokenEndpointAnswers() throws {
        let json = #"{"access_token":"a","expires_in":3600,"id_token":"i","refresh_token":"r","token_type":"Bearer"}"#
        let tokens = try JSONDecoder().decode(AuthTokens.self, from: Data(json.utf8))
        #expect(
            tokens == AuthTokens(accessToken: "a", refreshToken: "r", idToken: "i", expiresIn: .seconds(3600)))
        #expect(try JSONDecoder().decode(AuthTokens.self, from: JSONEncoder().encode(tokens)) == tokens)
    }

    @Test(arguments: ["0", "-1", "1e300"]) func meaninglessLifetimeIsReadAsNil(_ lifetime: String) throws {
        let json = #"{"access_token":"a","expires_in":\#(lifetime)}"#
        #expect(try JSONDecoder().decode(AuthTokens.self, from: Data(json.utf8)).expiresIn == nil)
    }
}
