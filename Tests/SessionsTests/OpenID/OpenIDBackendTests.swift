import Foundation
import HTTPLoading
import TestIssuer
import TestSupport
import Testing

@testable import Sessions
@testable import OpenIDSessions

/// `OpenIDBackend` against a real issuer over HTTP.
@Suite struct OpenIDBackendTests {
    @Test func backendSignsInWithACodeRefreshesAndRevokes() async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            let tokens = try await backend.signIn("jane", at: issuer)
            #expect(tokens.expiresIn == .seconds(3600))
            #expect(await issuer.accepts(tokens.accessToken))

            let renewed = try await backend.refresh(try #require(tokens.refreshToken))
            #expect(renewed.refreshToken != tokens.refreshToken)
            #expect(await issuer.counts == .init(signIns: 1, refreshes: 1))

            try await backend.revoke(renewed)
            #expect(await issuer.sessions == 0)
            await #expect(throws: SessionError.refused(code: "invalid_grant")) {
                try await backend.refresh(try #require(renewed.refreshToken))
            }
        }
    }

    @Test func userInfoReadsTheClaimsOfThePerson() async throws {
        struct Person: Decodable, Equatable {
            let sub: String
            let email: String
        }
        struct Other: Decodable { let telephone: String }
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            let tokens = try await backend.signIn("jane", at: issuer)
            #expect(try await backend.userInfo(for: tokens) == Person(sub: "jane", email: "jane@example.com"))
            await #expect(throws: SessionError.self) { try await backend.userInfo(for: tokens, as: Other.self) }
            await issuer.fail(.userInfo, with: .redirect("http://127.0.0.1:1/"), .garbage)
            await #expect(throws: SessionError.unreachable(retryAfter: nil)) {
                try await backend.userInfo(for: tokens, as: Person.self)
            }
            await issuer.endSessions(of: "jane")
            await issuer.heal()
            await #expect(throws: SessionError.refused(code: "invalid_token")) {
                try await backend.userInfo(for: tokens, as: Person.self)
            }
        }
    }

    @Test func concurrentCallersShareOneDiscoveryRequest() async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            await issuer.fail(.discovery, with: .hold)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { _ = try await backend.authorization() } }
                try await eventually("the issuer is asked") { await issuer.requests[.discovery] == 1 }
                await issuer.release()
                try await group.waitForAll()
            }
            #expect(await issuer.requests[.discovery] == 1)
        }
    }

    @Test func cancelledCallerDoesNotCancelDiscoveryForOthers() async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            await issuer.fail(.discovery, with: .hold)
            let first = Task { try await backend.authorization() }
            try await eventually("the first has asked") { await issuer.requests[.discovery] == 1 }
            let second = Task { try await backend.authorization() }
            first.cancel()
            await #expect(throws: SessionError.cancelled) { try await first.value }
            await issuer.release()
            _ = try await second.value
            #expect(await issuer.requests[.discovery] == 1)
        }
    }

    @Test(arguments: [true, false]) func clientSecretIsSentAsTheIssuerAcceptsIt(_ isInForm: Bool) async throws {
        var options = Issuer.Options()
        options.takesSecretInForm = isInForm
        options.clientSecret = "p:ss wörd%"
        try await Issuer.run(options) { issuer in
            let backend = try OpenIDBackend(issuer, secret: "p:ss wörd%")
            _ = try await backend.signIn("jane", at: issuer)
            let other = try OpenIDBackend(issuer, secret: "wrong")
            await #expect(throws: SessionError.refused(code: "invalid_client")) {
                try await other.signIn("jane", at: issuer)
            }
        }
    }

    // MARK: The answer to a sign-in

    @Test func callbackOfAnotherRequestIsRefused() async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            let request = try await backend.authorization()
            let other = try await backend.authorization()
            let callback = try await issuer.signIn(at: other.url, as: "mallory")
            await #expect(throws: SessionError.refused(code: "wrong_state")) {
                try await backend.credential(from: callback, for: request)
            }
        }
    }

    @Test(arguments: [
        ("iss=http%3A%2F%2F127.0.0.1%3A1&code=x", "wrong_issuer"), ("code=x", "wrong_issuer"),
        ("iss=ISSUER&error=access_denied", "access_denied"), ("iss=ISSUER&error=", "invalid_response"),
        ("iss=ISSUER", "invalid_response"), ("iss=ISSUER&code=", "invalid_response"),
        ("iss=ISSUER&error=two%20lines%0Aof%20a%20log", "unreadable_error"),
        ("iss=ISSUER&code=a&code=b", "invalid_response"), ("iss=ISSUER&code=a&state=another", "invalid_response"),
    ])
    func wrongCallbacksAreRefused(_ query: String, _ code: String) async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            let request = try await backend.authorization()
            let query = query.replacing("ISSUER", with: FormBody.encode(issuer.url.absoluteString))
            let callback = try #require(URL(string: "http://127.0.0.1/callback?state=\(request.state)&\(query)"))
            await #expect(throws: SessionError.refused(code: code)) {
                try await backend.credential(from: callback, for: request)
            }
        }
    }

    @Test func codeNeedsItsVerifierAndNonceAndWorksOnce() async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            func code() async throws -> (String, AuthorizationRequest) {
                let request = try await backend.authorization()
                let callback = try await issuer.signIn(at: request.url, as: "jane")
                guard case .code(let code, _, _) = try await backend.credential(from: callback, for: request) else {
                    throw SessionError.unsupported
                }
                return (code, request)
            }
            let (first, request) = try await code()
            await #expect(throws: SessionError.refused(code: "invalid_grant")) {
                try await backend.tokens(for: .code(first, verifier: "another", nonce: request.nonce))
            }
            let (second, other) = try await code()
            await #expect(throws: SessionError.refused(code: "wrong_nonce")) {
                try await backend.tokens(for: .code(second, verifier: other.verifier, nonce: request.nonce))
            }
            #expect(await issuer.sessions == 0, "tokens that no caller gets are revoked")
            let (third, last) = try await code()
            let credential = Credential.code(third, verifier: last.verifier, nonce: last.nonce)
            _ = try await backend.tokens(for: credential)
            await #expect(throws: SessionError.refused(code: "invalid_grant")) {
                try await backend.tokens(for: credential)
            }
        }
    }

    // MARK: Faults

    @Test(arguments: [404, 405, 410]) func endpointsThatMovedAreLookedUpAgain(_ status: Int) async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            let tokens = try await backend.signIn("jane", at: issuer)
            await issuer.fail(.token, with: .status(status))
            await #expect(throws: SessionError.unreachable(retryAfter: nil)) {
                try await backend.refresh(tokens.refreshToken ?? "")
            }
            #expect(await issuer.requests[.discovery] == 1)
            _ = try await backend.refresh(tokens.refreshToken ?? "")
            #expect(await issuer.requests[.discovery] == 2)
        }
    }

    @Test(arguments: [(Fault.Claim.iss, "https://evil.example"), (.aud, "other")])
    func refreshWithTheIDTokenOfAnotherIssuerOrClientIsRefused(_ claim: Fault.Claim, _ value: String) async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            let tokens = try await backend.signIn("jane", at: issuer)
            await issuer.fail(.token, with: .claim(claim, value))
            await #expect(throws: SessionError.refused(code: "wrong_id_token")) {
                try await backend.refresh(tokens.refreshToken ?? "")
            }
            #expect(await issuer.sessions == 0, "tokens that no caller gets are revoked")
        }
    }

    @Test func errorsNeverRepeatASecretOfTheRequest() async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            let tokens = try await backend.signIn("jane", at: issuer)
            let token = try #require(tokens.refreshToken)
            // The issuer quotes the request in its error.
            await issuer.fail(.token, with: .refuse(token), .refuse("bad:" + token.prefix(8)))
            for _ in 0..<2 {
                await #expect(throws: SessionError.refused(code: "unreadable_error")) {
                    try await backend.refresh(token)
                }
            }
        }
    }

    @Test(arguments: [Endpoint.discovery, .token])
    func requestToAHungIssuerTimesOut(_ endpoint: Endpoint) async throws {
        try await Issuer.run { issuer in
            let clock = ManualClock()
            let backend = try OpenIDBackend(issuer: issuer.url, clientID: "app", redirectURI: issuer.url, clock: clock)
            if endpoint == .token { _ = try await backend.authorization() }
            await issuer.fail(endpoint, with: .hold)
            let expected = endpoint == .discovery ? SessionError.unreachable(retryAfter: nil) : .answerLost
            let refresh = Task { try await backend.refresh("refresh") }
            try await eventually("the issuer is asked") { await issuer.requests[endpoint] == 1 }
            try await eventually("the timeout is set") { clock.sleepers == 1 }
            clock.advance(by: .seconds(20))
            await #expect(throws: expected) { try await refresh.value }
        }
    }

    // MARK: Configuration

    @Test(arguments: ["http://example.com", "ftp://127.0.0.1", "https://", "https://example.com?x=1", "http://127.1"])
    func wrongIssuerURLsAreRefused(_ text: String) throws {
        let url = try #require(URL(string: text))
        let callback = try #require(URL(string: "http://127.0.0.1/callback"))
        #expect { _ = try OpenIDBackend(issuer: url, clientID: "app", redirectURI: callback) } throws: {
            ($0 as? SessionError)?.code == .misconfigured
        }
    }

    @Test func errorNamesTheIssuerOfTheDocument() async throws {
        try await Issuer.run { issuer in
            let wrong = try #require(URL(string: issuer.url.absoluteString + "/"))
            let backend = try OpenIDBackend(
                issuer: wrong, clientID: "app", redirectURI: try #require(URL(string: "http://127.0.0.1/callback")))
            await #expect { _ = try await backend.authorization() } throws: {
                let error = $0 as? SessionError
                return error?.code == .misconfigured
                    && "\($0)".contains("names the issuer \(issuer.url.absoluteString)")
            }
        }
    }

    @Test func parametersAreAddedUnlessTheBackendSetsThem() async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            let request = try await backend.authorization(parameters: ["prompt": "create"])
            #expect(request.url.query()?.contains("prompt=create") == true)
            let items = try #require(URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems)
            for name in items.map(\.name) where name != "prompt" {
                let refusal = SessionError.misconfigured("the parameter \(name) is set already; leave it out")
                await #expect(throws: refusal) { try await backend.authorization(parameters: [name: "x"]) }
            }
        }
    }

    @Test(arguments: [Credential.anonymous, .apple(idToken: "x"), .password(email: "a@example.com", password: "x")])
    func credentialsOtherThanCodesAreUnsupported(_ credential: Credential) async throws {
        try await Issuer.run { issuer in
            let backend = try OpenIDBackend(issuer)
            await #expect(throws: SessionError.unsupported) { try await backend.tokens(for: credential) }
            #expect(await issuer.requests.isEmpty)
        }
    }
}

extension OpenIDBackend {
    init(_ issuer: Issuer, secret: String? = nil) throws {
        try self.init(
            issuer: issuer.url, clientID: issuer.options.clientID, clientSecret: secret,
            redirectURI: try #require(URL(string: "http://127.0.0.1:8080/callback")))
    }

    /// Signs a person in through the issuer's page.
    func signIn(_ person: String, at issuer: Issuer) async throws -> AuthTokens {
        let request = try await authorization()
        let callback = try await issuer.signIn(at: request.url, as: person)
        return try await tokens(for: credential(from: callback, for: request))
    }
}
