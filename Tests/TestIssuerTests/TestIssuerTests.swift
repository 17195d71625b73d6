import Foundation
import TestIssuer
import TestSupport
import Testing

/// The issuer over HTTP, used by a client other than `OpenIDBackend`.
@Suite struct TestIssuerTests {
    /// The challenge of the verifier in RFC 7636, appendix B.
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let request =
        "response_type=code&client_id=app&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback&scope=openid"
        + "&state=s&nonce=n&code_challenge=\(challenge)&code_challenge_method=S256"

    private func client(_ issuer: Issuer) throws -> HTTPClient {
        HTTPClient(port: try #require(issuer.url.port))
    }

    /// The query parameters of the URL to which the browser is redirected.
    private func fields(of answer: HTTPAnswer) throws -> [String: String] {
        let location = try #require(answer.headers["location"])
        let items = URLComponents(string: location)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    private func code(_ issuer: Issuer) async throws -> String {
        let answer = try await client(issuer).send("POST", "/authorize?\(Self.request)", "person=jane&decision=allow")
        #expect(answer.status == 302)
        return try #require(try fields(of: answer)["code"])
    }

    private func exchange(_ code: String, at issuer: Issuer) async throws -> HTTPAnswer {
        try await client(issuer).send(
            "POST", "/token",
            "grant_type=authorization_code&code=\(code)&client_id=app&code_verifier=\(Self.verifier)"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback")
    }

    private func refresh(_ tokens: HTTPAnswer, at issuer: Issuer) async throws -> HTTPAnswer {
        let token = try #require(tokens.json["refresh_token"] as? String)
        return try await client(issuer).send(
            "POST", "/token", "grant_type=refresh_token&client_id=app&refresh_token=\(token)")
    }

    private func claims(_ token: Any?) throws -> [String: Any] {
        let parts = try #require(token as? String).split(separator: ".")
        let text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        let data = try #require(Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test func personSignsInOnThePageOfTheIssuer() async throws {
        try await Issuer.run { issuer in
            let page = try await client(issuer).send("GET", "/authorize?\(Self.request)")
            #expect(page.status == 200 && page.body.contains("<form") && page.body.contains("state=s&amp;nonce=n"))
            let tokens = try await exchange(try await code(issuer), at: issuer)
            #expect(tokens.status == 200 && tokens.json["token_type"] as? String == "Bearer")
            let claims = try claims(tokens.json["id_token"])
            #expect(claims["iss"] as? String == issuer.url.absoluteString)
            #expect(claims["sub"] as? String == "jane" && claims["nonce"] as? String == "n")
            let access = try #require(tokens.json["access_token"] as? String)
            let person = try await HTTPClient(port: try #require(issuer.url.port), key: access).send("GET", "/userinfo")
            #expect(person.json["email"] as? String == "jane@example.com")
        }
    }

    @Test func cancelledSignInIsRedirectedWithAnError() async throws {
        try await Issuer.run { issuer in
            let answer = try await client(issuer).send(
                "POST", "/authorize?\(Self.request)", "person=jane&decision=deny")
            let fields = try fields(of: answer)
            #expect(fields["error"] == "access_denied" && fields["state"] == "s")
            #expect(fields["iss"] == issuer.url.absoluteString)
        }
    }

    /// A redirect to an unregistered URI would send the code to an attacker.
    @Test(arguments: [
        ("client_id=app", "client_id=other"), ("127.0.0.1%3A9%2Fcallback", "127.0.0.1%3A9%2Felsewhere"),
        ("http%3A%2F%2F127.0.0.1%3A9%2Fcallback", "https%3A%2F%2Fexample.com%2Fcallback"),
    ])
    func unknownClientOrRedirectURIGetsNoRedirect(_ part: String, _ other: String) async throws {
        try await Issuer.run { issuer in
            let request = Self.request.replacing(part, with: other)
            let answer = try await client(issuer).send("GET", "/authorize?\(request)")
            #expect(answer.status == 400 && answer.headers["location"] == nil)
        }
    }

    @Test(arguments: [
        ("response_type=code", "response_type=token", "unsupported_response_type"),
        ("scope=openid", "scope=email", "invalid_scope"), ("S256", "plain", "invalid_request"),
        ("&code_challenge=\(challenge)", "", "invalid_request"),
    ])
    func wrongRequestIsRedirectedWithAnError(_ part: String, _ other: String, _ error: String) async throws {
        try await Issuer.run { issuer in
            let request = Self.request.replacing(part, with: other)
            let answer = try await client(issuer).send("GET", "/authorize?\(request)")
            #expect(try fields(of: answer)["error"] == error)
        }
    }

    @Test func codeUsedTwiceEndsItsSession() async throws {
        try await Issuer.run { issuer in
            let code = try await code(issuer)
            #expect(try await exchange(code, at: issuer).status == 200)
            let again = try await exchange(code, at: issuer)
            #expect(again.status == 400 && again.json["error"] as? String == "invalid_grant")
            #expect(await issuer.sessions == 0)
        }
    }

    @Test func refreshTokenUsedTwiceEndsItsSession() async throws {
        try await Issuer.run { issuer in
            let first = try await exchange(try await code(issuer), at: issuer)
            let second = try await refresh(first, at: issuer)
            #expect(second.status == 200)
            #expect(try await refresh(first, at: issuer).status == 400)
            #expect(try await refresh(second, at: issuer).status == 400)
            #expect(await issuer.counts == .init(signIns: 1, refreshes: 1, reuses: 1))
        }
    }

    @Test func usedRefreshTokenIsAcceptedWithinTheGracePeriod() async throws {
        var options = Issuer.Options()
        options.grace = .seconds(3600)
        try await Issuer.run(options) { issuer in
            let first = try await exchange(try await code(issuer), at: issuer)
            _ = try await refresh(first, at: issuer)
            #expect(try await refresh(first, at: issuer).status == 200)
            await issuer.setClock(ahead: .seconds(3601))
            #expect(try await refresh(first, at: issuer).status == 400)
        }
    }

    @Test func refreshTokenStaysTheSameWithoutRotation() async throws {
        var options = Issuer.Options()
        options.rotates = false
        options.refreshBringsIDToken = false
        try await Issuer.run(options) { issuer in
            let first = try await exchange(try await code(issuer), at: issuer)
            for _ in 0..<3 {
                let next = try await refresh(first, at: issuer)
                #expect(next.json["refresh_token"] as? String == first.json["refresh_token"] as? String)
                #expect(next.json["id_token"] == nil)
            }
        }
    }

    @Test func revokedTokenIsRefused() async throws {
        try await Issuer.run { issuer in
            let tokens = try await exchange(try await code(issuer), at: issuer)
            let access = try #require(tokens.json["access_token"] as? String)
            let client = try client(issuer)
            #expect(try await client.send("POST", "/revoke", "client_id=app&token=unknown").status == 200)
            #expect(try await client.send("POST", "/revoke", "client_id=app&token=\(access)").status == 200)
            #expect(try await refresh(tokens, at: issuer).status == 400)
            let person = try await HTTPClient(port: client.port, key: access).send("GET", "/userinfo")
            #expect(person.status == 401 && person.headers["www-authenticate"] == #"Bearer error="invalid_token""#)
        }
    }

    @Test func clockOfTheIssuerSetsTheExpiryOfTokens() async throws {
        try await Issuer.run { issuer in
            await issuer.setClock(ahead: .seconds(-86_400))
            let tokens = try await exchange(try await code(issuer), at: issuer)
            let end = try #require(try claims(tokens.json["id_token"])["exp"] as? Double)
            #expect(end < Date().timeIntervalSince1970)
        }
    }
}

/// The program `test-issuer`.
@Suite struct TestIssuerProgramTests {
    private func process(_ arguments: [String], _ output: Pipe) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("test-issuer")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        return process
    }

    @Test func programPrintsItsAddressServesFaultsAndStops() async throws {
        let output = Pipe()
        let process = process(["--person", "jane", "--lifetime", "60"], output)
        try process.run()
        defer { process.terminate() }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(URL(string: line.trimmingCharacters(in: .newlines))?.port)
        let client = HTTPClient(port: port)
        #expect(try await client.send("GET", "/.well-known/openid-configuration").status == 200)
        #expect(try await client.send("GET", "/favicon.ico").status == 204)
        let faults = #"{"endpoint":"keys","fault":"status","status":503,"retry_after":7,"times":2}"#
        #expect(try await client.send("POST", "/faults", faults).status == 204)
        for _ in 0..<2 {
            let answer = try await client.send("GET", "/keys")
            #expect(answer.status == 503 && answer.headers["retry-after"] == "7")
        }
        #expect(try await client.send("GET", "/keys").status == 200)
        #expect(try await client.send("POST", "/faults", #"{"endpoint":"keys","fault":"fire"}"#).status == 400)
        #expect(try await client.send("POST", "/sign-out-everywhere", #"{"person":"jane"}"#).status == 204)
        #expect(try await client.send("POST", "/sign-out-everywhere", "{}").status == 400)
        #expect(try await client.send("GET", "/sign-out-everywhere").status == 405)
        process.terminate()
        #expect(await process.ended() == SIGTERM)
    }

    @Test(arguments: [["--port", "70000"], ["--lifetime", "0"], ["--grace=-1"], ["--port", "x"], ["--unknown"]])
    func programRefusesWrongOptions(_ arguments: [String]) async throws {
        let output = Pipe()
        let process = process(arguments, output)
        try process.run()
        #expect(await process.ended() == 64)
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(text.contains("Error:") && text.contains("--"))
    }
}
