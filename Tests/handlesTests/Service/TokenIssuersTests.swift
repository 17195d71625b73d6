#if IdentityTokens
import Crypto
import Foundation
import Sessions
import TestIssuer
import TestService
import TestSupport
import Testing
import OpenIDSessions

@Suite struct TokenIssuersTests {
    private let folder = TemporaryFolder.make("issuers")

    private func write(_ text: String, _ name: String) throws {
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }

    @Test func tokenOfAConfiguredIssuerClaimsAName() async throws {
        let key = P256.Signing.PrivateKey()
        let point = key.publicKey.x963Representation.dropFirst()
        try write(
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"\#(base64URL(point.prefix(32)))","y":"\#(base64URL(point.suffix(32)))"}]}"#,
            "keys.json")
        // An issuer that can't be reached does not affect the other one.
        try write(
            #"""
            [{"issuer":"https://login.example","audience":"app","keys":"keys.json"},
             {"issuer":"https://away.example","audience":["app","web"],"keys":"http://127.0.0.1:1/keys"}]
            """#, "issuers.json")
        func token(_ issuer: String) throws -> String {
            let now = Int(Date.now.timeIntervalSince1970)
            let claims = #"{"iss":"\#(issuer)","sub":"jane","aud":"app","iat":\#(now),"exp":\#(now + 600)}"#
            let signed = "\(base64URL(#"{"alg":"ES256"}"#.utf8)).\(base64URL(claims.utf8))"
            return "\(signed).\(base64URL(try key.signature(for: Data(signed.utf8)).rawRepresentation))"
        }
        let service = try await Service(in: folder, ["HANDLES_TOKEN_ISSUERS": "issuers.json"])
        let jane = HTTPClient(port: service.client.port, key: try token("https://login.example"))
        let claim = try await jane.send("PUT", "/v1/handles/JaneRoe", "{}")
        #expect(claim.status == 201 && claim.json["owner"] as? String == "https://login.example|jane")
        let away = HTTPClient(port: service.client.port, key: try token("https://away.example"))
        #expect(try await away.send("GET", "/v1/owners/me/handles").status == 503)
        try await eventually("the log says which issuer is away") {
            try String(contentsOfFile: service.words, encoding: .utf8).contains("issuer=https://away.example")
        }
        let shown = try await Program.run(["show", "janeroe", "--json"], in: folder)
        #expect(shown.output.contains(#""actor":"person""#))
        #expect(await service.end(SIGTERM) == 0)
    }

    /// A person signs in with `Sessions` and claims a name: with the id token, and after a refresh that brings no id
    /// token, with the access token.
    @Test func signInAtTheTestIssuerGivesTokensThatClaimAName() async throws {
        var options = Issuer.Options()
        options.refreshBringsIDToken = false
        try await Issuer.run(options) { issuer in
            let address = issuer.url.absoluteString
            try write(#"[{"issuer":"\#(address)","audience":"app","keys":"\#(address)/keys"}]"#, "test-issuer.json")
            let service = try await Service(in: folder, ["HANDLES_TOKEN_ISSUERS": "test-issuer.json"])
            let backend = try OpenIDBackend(
                issuer: issuer.url, clientID: "app",
                redirectURI: try #require(URL(string: "http://127.0.0.1/callback")))
            let request = try await backend.authorization()
            let callback = try await issuer.signIn(at: request.url, as: "jane")
            let session = SessionController(backend: backend)
            await session.setTokens(try await backend.tokens(for: backend.credential(from: callback, for: request)))

            let idToken = try await session.identityToken()
            let jane = HTTPClient(port: service.client.port, key: idToken)
            try await eventually("the issuer's keys are there") {
                try await jane.send("GET", "/v1/owners/me/handles").status == 200
            }
            #expect(try await jane.send("PUT", "/v1/handles/JaneRoe", "{}").status == 201)
            let accessToken = try await session.identityToken(rejected: idToken)
            #expect(accessToken == (await session.getAccessToken()))
            let later = try await HTTPClient(port: service.client.port, key: accessToken)
                .send("GET", "/v1/owners/me/handles")
            #expect(later.status == 200 && later.body.contains("JaneRoe"), "\(later)")
            // The issuer's clock is a day ahead of the service's.
            await issuer.setClock(ahead: .seconds(86_400))
            let early = try await session.identityToken(rejected: accessToken)
            let answer = try await HTTPClient(port: service.client.port, key: early)
                .send("GET", "/v1/owners/me/handles")
            #expect(answer.status == 401)
            #expect(await service.end(SIGTERM) == 0)
        }
    }

    /// The keys of all issuers are fetched in parallel in the background. Neither requests, nor another issuer, nor the
    /// stop waits for an issuer.
    @Test func issuerKeysAreFetchedInParallelWhileTheServiceRuns() async throws {
        let silent = try ClosingListener(isSilent: true)
        let issuers = (1...8).map {
            #"{"issuer":"https://silent\#($0).example","audience":"app","keys":"http://127.0.0.1:\#(silent.port)/keys"}"#
        }
        try write("[\(issuers.joined(separator: ","))]", "silent.json")
        let service = try await Service(in: folder, ["HANDLES_TOKEN_ISSUERS": "silent.json"])
        #expect(try await service.client.send("GET", "/livez").status == 200)
        // Each fetch gives up after five seconds, so fetches one after the other would not reach this number in time.
        try await eventually("all are asked") { silent.acceptedCount >= 8 }
        #expect(await service.end(SIGTERM) == 0)
        // The stop starts no further fetch.
        #expect(silent.acceptedCount == 8)
    }

    @Test func faultsOfTheIssuerFileAreReportedInOneLine() async throws {
        try write(#"{"keys":[]}"#, "empty.json")
        try write("<html>", "page.html")
        func entry(_ issuer: String, _ audience: String, _ keys: String) -> String {
            #"{"issuer":\#(issuer),"audience":\#(audience),"keys":\#(keys)}"#
        }
        let good = entry(#""https://login.example""#, #""app""#, #""https://login.example/keys""#)
        for (text, word) in [
            ("", "not a list"), ("{}", "not a list"), ("[]", "not a list"), (good, "not a list"),
            ("[\(good),7]", "not a list"),
            (#"[{"issuer":"a","audience":"b"}]"#, "not a list"),
            (#"[{"issuer":"a","audience":"b","keys":"c","kyes":"d"}]"#, "not a list"),
            ("[\(entry("7", #""app""#, #""c""#))]", "not a list"),
            ("[\(entry(#""""#, #""app""#, #""https://a.example/""#))]", "issuer is"),
            ("[\(entry(#""a|b""#, #""app""#, #""https://a.example/""#))]", "without '|'"),
            ("[\(entry(#""a b""#, #""app""#, #""https://a.example/""#))]", "without spaces"),
            ("[\(entry(#""a","issuer":"b""#, #""app""#, #""https://a.example/""#))]", "is not a list of issuers"),
            ("[\(entry(#""a""#, #""""#, #""https://a.example/""#))]", "audience"),
            ("[\(entry(#""a""#, "[]", #""https://a.example/""#))]", "audience"),
            ("[\(entry(#""a""#, #""app""#, #""http://a.example/""#))]", "https"),
            ("[\(entry(#""a""#, #""app""#, #""""#))]", "'keys'"),
            ("[\(entry(#""a""#, #""app""#, #""missing.json""#))]", "missing.json"),
            ("[\(entry(#""a""#, #""app""#, #""empty.json""#))]", "no public key"),
            ("[\(entry(#""a""#, #""app""#, #""page.html""#))]", "JWK set"), ("[\(good),\(good)]", "twice"),
        ] {
            try write(text, "issuers.json")
            let result = try await Program.run(
                ["serve", "--port", "0"], in: folder, ["HANDLES_TOKEN_ISSUERS": "issuers.json"])
            #expect(result.status == 64 && result.words.contains(word), "\(text): \(result.words)")
            #expect(result.words.hasPrefix("handles: HANDLES_TOKEN_ISSUERS: "), "\(result.words)")
            #expect(result.words.split(separator: "\n").count == 1, "\(result.words)")
        }
        let missing = try await Program.run(["serve"], in: folder, ["HANDLES_TOKEN_ISSUERS": "nothing.json"])
        #expect(missing.status == 64 && missing.words.contains("nothing.json"))
    }
}
#endif
