import AuthorizedRequests
import Foundation
import OpenIDSessions
import Sessions
import TestIssuer
import TestSupport
import Testing

/// Calls of an app's own service. The service is the user info of an issuer, which accepts its access tokens.
@Suite struct APIClientTests {
    struct Person: APIEndpoint {
        struct Response: Decodable { let sub: String }
        var path = "userinfo"
        var requiresAuth = true
        var query: [URLQueryItem] = []
    }

    struct Ping: APIEndpoint {
        typealias Response = NoContent
        let path = "userinfo"
    }

    private func withService(
        _ body: @escaping @Sendable (Issuer, SessionController, APIClient, AuthTokens) async throws -> Void
    ) async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            let session = SessionController(backend: backend)
            let tokens = try await backend.signIn("jane", at: issuer)
            await session.setTokens(tokens)
            try await body(issuer, session, APIClient(base: issuer.url, session: session), tokens)
        }
    }

    @Test func requestCarriesTheTokenOfThePerson() async throws {
        try await withService { _, _, api, _ in
            #expect(try await api.execute(Person()).sub == "jane")
            _ = try await api.execute(Ping())
        }
    }

    @Test func requestHasThePathTheQueryAndTheBodyOfTheEndpoint() async throws {
        struct Rename: APIEndpoint {
            typealias Response = NoContent
            let method = "PUT"
            let path = "v1/name"
            let query = [URLQueryItem(name: "a", value: "b c&d")]
            let body: Data? = Data("{}".utf8)
            let requiresAuth = false
        }
        try await Forum.run { forum in
            _ = try await APIClient(base: forum.base, session: SessionController()).execute(Rename())
            let seen = try #require(forum.seen.first)
            #expect(seen.method == "PUT" && seen.path.hasSuffix("v1/name?a=b%20c%26d") && seen.body == "{}")
        }
    }

    @Test func rejectedTokenIsRefreshedOnce() async throws {
        try await withService { issuer, session, api, tokens in
            await session.setTokens(AuthTokens(accessToken: "rejected", refreshToken: tokens.refreshToken))
            async let first = api.execute(Person()).sub
            async let second = api.execute(Person()).sub
            let people = try await [first, second]
            #expect(people == ["jane", "jane"])
            #expect(await issuer.counts.refreshes == 1)
        }
    }

    @Test func refusalOfANewTokenDoesNotAskForASignIn() async throws {
        try await withService { issuer, _, api, _ in
            await issuer.fail(.userInfo, with: .status(401, retryAfter: nil), .status(401, retryAfter: nil))
            let error = await #expect(throws: APIError.self) { _ = try await api.execute(Person()) }
            #expect(error?.code == .newTokenRejected && error?.status == 401)
            #expect(error?.localizedDescription == SessionError.newTokenRejected.localizedDescription)
        }
    }

    @Test func requestWithoutASessionIsNotSent() async throws {
        try await withService { issuer, session, api, _ in
            await session.clear()
            let error = await #expect(throws: APIError.self) { _ = try await api.execute(Person()) }
            #expect(error?.code == .noToken && error?.cause == .signedOut)
            #expect(error?.localizedDescription == SessionError.signedOut.localizedDescription)
            #expect(await issuer.requests[.userInfo] == nil)
            // A public call needs no session; this service refuses it.
            let refused = await #expect(throws: APIError.self) {
                _ = try await api.execute(Person(requiresAuth: false))
            }
            #expect(refused?.status == 401)
            #expect(await issuer.requests[.userInfo] == 1)
        }
    }

    @Test(arguments: [
        (Fault.status(503, retryAfter: 5), APIError.Code.refused), (.garbage, .unreadable), (.drop, .answerLost),
        (.redirect("https://evil.example"), .refused),
    ])
    func failureIsThrownAndNothingIsRepeated(_ fault: Fault, _ code: APIError.Code) async throws {
        try await withService { issuer, _, api, _ in
            await issuer.fail(.userInfo, with: fault)
            let error = await #expect(throws: APIError.self) { _ = try await api.execute(Person()) }
            #expect(error?.code == code)
            #expect(error?.retryAfter == (error?.status == 503 ? .seconds(5) : nil))
            #expect(error?.localizedDescription.hasSuffix(".") == true)
            #expect(error?.isTransient == (error?.status == 503 || code == .answerLost))
        }
    }

    @Test func serviceNeedsHTTPS() throws {
        let base = try #require(URL(string: "http://example.com"))
        #expect { _ = try APIClient(base: base, session: SessionController()) } throws: {
            ($0 as? APIError)?.code == .misconfigured
        }
    }
}
