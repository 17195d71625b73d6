#if IdentityTokens
import Foundation
import HandleRegistry
import HandleRules
import HandleServer
import TestSupport
import Testing

@Suite struct IdentityTokenTests {
    private let issuers: TestIssuers

    init() async throws { issuers = try await TestIssuers.made.value }

    @Test func tokenIsAcceptedForEachAlgorithm() async throws {
        try await withServer(tokens: TokenVerifier(issuers.all)) { [issuers] _, anonymous in
            let keys = [issuers.rsa, issuers.pss, issuers.p256, issuers.p384, issuers.p521, issuers.ed25519]
            for (number, key) in keys.enumerated() {
                let client = HTTPClient(port: anonymous.port, key: try key.token(["sub": "\"person \(number)\""]))
                let answer = try await client.send("PUT", "/v1/handles/zebra_\(number)", "{}")
                #expect(answer.status == 201, "\(key.algorithm): \(answer.body)")
                #expect(answer.json["owner"] as? String == "https://login.example|person \(number)")
            }
            // An issuer with one key needs neither 'kid' nor 'alg' in its set.
            let other = ["iss": #""https://other.example""#]
            for header in [#"{"alg":"ES256"}"#, #"{"alg":"ES256","typ":"at+jwt"}"#] {
                let token = try issuers.other.token(header: header, claims: claims(other))
                let client = HTTPClient(port: anonymous.port, key: token)
                let answer = try await client.send("PUT", "/v1/handles/other_zebra", "{}")
                #expect(answer.json["owner"] as? String == "https://other.example|jane", "\(answer.body)")
            }
        }
    }

    /// Valid forms that differ between issuers and between clocks.
    @Test func tokenIsAcceptedInEveryAllowedForm() async throws {
        // Made once the service runs, because the first token expires soon.
        let tokens = { @Sendable [issuers] () throws -> [String] in
            let now = Int(Date.now.timeIntervalSince1970)
            return try [
                ["exp": "\(now - 5)"], ["aud": #"["nobody","other-app"]"#],
                ["exp": "\(now + 600).75", "iat": "\(now).25", "nbf": "\(now - 1).5"],
                ["nbf": "\(now + 30)"], ["iat": "\(now + 30)"],
                ["exp": "\(now + 24 * 3600)"], ["exp": "\(Double(now + 600))e0"], ["sub": #""auth0|jürgen 東京""#],
                ["sub": "\"\(String(repeating: "x", count: 233))\""],
                ["x": "\"\(String(repeating: "x", count: 5000))\""],
                ["x": #"{"sub":1,"sub":2}"#], ["x": #""a\"b","y\\":"sub","z":[{"sub":"\\"}]"#],
            ].map { try issuers.rsa.token($0) }
                + [
                    #"{"alg":"RS256","kid":"rsa-1"}"#, #"{"alg":"RS256","kid":"rsa-1","typ":"jwt"}"#,
                    #"{"alg":"RS256","kid":"rsa-1","typ":"AT+JWT"}"#, #" { "kid" : "rsa-1" , "alg" : "RS256" } "#,
                    #"{"alg":"RS256","kid":"rsa-1","x5t":"abc","jku":"https://evil.example/"}"#,
                ].map { try issuers.rsa.token(header: $0, claims: claims()) }
        }
        try await withServer(tokens: TokenVerifier(issuers.all)) { _, anonymous in
            for token in try tokens() {
                let answer = try await HTTPClient(port: anonymous.port, key: token).send("GET", "/v1/owners/me/handles")
                #expect(answer.status == 200, "\(answer.body) \(token)")
            }
        }
    }

    @Test func everyInvalidTokenGetsTheSame401() async throws {
        let hostile = try HostileTokens(issuers: issuers).all()
        #expect(hostile.count >= 60)
        let registry = try await freshRegistry()
        let store = KeyStore(pool: registry.pool)
        try await store.refresh()
        try await withServer(registry, keys: store, tokens: TokenVerifier(issuers.all)) { _, anonymous in
            var answers: Set<String> = []
            for (name, token) in hostile {
                let client = HTTPClient(port: anonymous.port, key: token)
                for (method, path, body) in [
                    ("GET", "/v1/availability?handle=some_name", nil), ("PUT", "/v1/handles/some_name", "{}"),
                ] as [(String, String, String?)] {
                    let answer = try await client.send(method, path, body)
                    // A token that can't be in a header field, or is too long for one, makes the request malformed.
                    let isNoRequest = ["malformed_request", "headers_too_large"]
                        .contains(answer.json["code"] as? String)
                    #expect(answer.status == 401 || isNoRequest, "\(name): \(answer.status) \(answer.body)")
                    // Only such a token may name an issuer that is not trusted.
                    let mayDiffer = name.hasPrefix("iss ") && answer.json["code"] as? String == "unknown_issuer"
                    guard answer.status == 401, !mayDiffer else { continue }
                    answers.insert(answer.body + (answer.headers["www-authenticate"] ?? ""))
                }
            }
            // Invalid keys get the same answer, so that it reveals nothing.
            for key in [AccessKey.random().text, AccessKey.random().text + "x", "no key at all"] {
                let answer = try await HTTPClient(port: anonymous.port, key: key).send("GET", "/v1/owners/a/handles")
                answers.insert(answer.body + (answer.headers["www-authenticate"] ?? ""))
            }
            #expect(answers.count == 1, "\(answers)")
            #expect(answers.first?.contains("invalid_token") == true)
            let claimed = try await anonymous.send("GET", "/v1/handles/some_name")
            #expect(claimed.status == 404)
        }
    }

    @Test func validTokenWithoutAUsableSubjectGets400() async throws {
        let tokens = try HostileTokens(issuers: issuers).unusable()
        try await withServer(tokens: TokenVerifier(issuers.all)) { _, anonymous in
            for (name, token) in tokens {
                let answer = try await HTTPClient(port: anonymous.port, key: token).send(
                    "PUT", "/v1/handles/a_name", "{}")
                #expect(
                    answer.status == 400 && answer.json["code"] as? String == "invalid_owner", "\(name): \(answer.body)"
                )
            }
        }
    }

    @Test func tokenIsReadOnlyFromASingleBearerHeader() async throws {
        let (token, other) = (try issuers.rsa.token(), try issuers.p256.token())
        try await withServer(tokens: TokenVerifier(issuers.all)) { _, anonymous in
            func status(_ lines: [String]) async throws -> Int {
                let head = ["GET /v1/owners/me/handles HTTP/1.1", "Host: x", "Connection: close"] + lines
                return try await anonymous.send(raw: Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)).status
            }
            for scheme in ["Bearer", "bearer", "BEARER"] {
                let answer = try await status(["Authorization: \(scheme) \(token)"])
                #expect(answer == 200)
            }
            for lines in [
                ["Authorization: \(token)"], ["Authorization: Token \(token)"], ["Authorization: Basic \(token)"],
                ["Authorization: Bearer  \(token)"], ["Authorization: Bearer\t\(token)"], ["Authorization: Bearer"],
                ["Authorization: Bearer,\(token)"], ["Authorization: Bearer \(token), Bearer \(other)"],
                ["Authorization: Bearer \(token),\(other)"], ["Authorization: Bearer \(token) \(other)"],
                ["Authorization: Bearer token=\(token)"], ["Authorization: Bearer Bearer \(token)"],
                ["Authorization: Bearer \(token)", "Authorization: Bearer \(token)"],
                ["Authorization: Bearer \(token)", "authorization: Basic abc"],
                ["Authorization: ", "Authorization: Bearer \(token)"], ["X-Authorization: Bearer \(token)"],
                ["Cookie: access_token=\(token)"], ["Proxy-Authorization: Bearer \(token)"],
            ] {
                let answer = try await status(lines)
                #expect(answer == 401, "\(lines)")
            }
            let inAddress = try await anonymous.send("GET", "/v1/owners/me/handles?access_token=\(token)")
            #expect(inAddress.status == 401)
        }
    }

    /// Also a forged one: the answer reveals nothing about the token.
    @Test func tokenOfAnotherIssuerGetsUnknownIssuer() async throws {
        let other = ["iss": #""https://nobody.example""#]
        let tokens = [try issuers.rsa.token(other), try issuers.stranger.token(other)]
        try await withServer(tokens: TokenVerifier(issuers.all)) { _, anonymous in
            for token in tokens {
                let answer = try await HTTPClient(port: anonymous.port, key: token).send("PUT", "/v1/handles/abc", "{}")
                #expect(answer.status == 401 && answer.json["code"] as? String == "unknown_issuer")
                #expect(answer.headers["www-authenticate"] == #"Bearer error="invalid_token""#)
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func streamEndsWhenItsTokenExpires() async throws {
        try await withServer(tokens: TokenVerifier(issuers.all)) { [issuers] _, anonymous in
            // The leeway is a minute, so this token expires in twenty seconds.
            let token = try issuers.p256.token(["exp": "\(Int(Date.now.timeIntervalSince1970) - 40)"])
            let client = HTTPClient(port: anonymous.port, key: token)
            var seen: [String] = []
            for await event in try await client.events("/v1/availability/watch?handle=some_name") { seen.append(event) }
            #expect(seen == ["available", "end"])
        }
    }
}
#endif
