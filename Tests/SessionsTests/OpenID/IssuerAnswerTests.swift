import Foundation
@testable import OpenIDSessions
import HTTPLoading
import Testing

@testable import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The meaning of single answers and documents of an issuer.
@Suite struct IssuerAnswerTests {
    private func answer(_ status: Int, _ body: String, _ fields: [String: String] = [:]) throws -> HTTPAnswer {
        let url = try #require(URL(string: "https://issuer.example/token"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
        return HTTPAnswer(response, Data(body.utf8))
    }

    // MARK: Tokens

    @Test(
        arguments: [
            (#"{"access_token":"a","token_type":"bearer","expires_in":"60"}"#, nil, 60),
            (#"{"access_token":"a","refresh_token":"r"}"#, "r", nil),
            // An empty refresh token would replace a good one.
            (#"{"access_token":"a","refresh_token":""}"#, nil, nil),
        ] as [(String, String?, Int?)])
    func tokensOfATokenAnswerAreRead(_ body: String, _ refreshToken: String?, _ lifetime: Int?) throws {
        let tokens = try answer(200, body).tokens(hiding: [])
        #expect(tokens.accessToken == "a" && tokens.refreshToken == refreshToken)
        #expect(tokens.expiresIn == lifetime.map { .seconds($0) })
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"access_token":""}"#, #"{"access_token":1}"#, #"{"access_token":"a","token_type":"mac"}"#,
        #"{"error":"invalid_grant"}"#,
    ])
    func anAnswer200WithoutTokensIsNoRefusal(_ body: String) throws {
        #expect(throws: SessionError.unreachable(retryAfter: nil)) { try answer(200, body).tokens(hiding: []) }
    }

    @Test(arguments: [400, 401, 403, 499]) func invalidGrantIsARefusalWithAny4xx(_ status: Int) throws {
        #expect(
            try answer(status, #"{"error":"invalid_grant"}"#).problem(hiding: []) == .refused(code: "invalid_grant"))
    }

    @Test(arguments: [
        (403, "invalid_client"), (404, "invalid_client"), (500, "invalid_grant"), (503, "invalid_client"),
        (302, "invalid_grant"),
    ])
    func errorCodeWithAnotherStatusIsNoRefusal(_ status: Int, _ error: String) throws {
        let problem = try answer(status, #"{"error":"\#(error)"}"#).problem(hiding: [])
        #expect(problem == .unreachable(retryAfter: nil))
    }

    @Test(
        arguments: [
            ("120", 120), ("0", 0), (" 7 ", 7), ("-1", nil), ("soon", nil), ("Wed, 09 Jun 2027 10:19:14 GMT", 60),
            ("Wed, 09 Jun 2027 10:17:14 GMT", 0), ("99999999999", 86_400 * 365),
        ] as [(String, Int?)])
    func retryAfterIsSecondsOrADateByTheServersClock(_ field: String, _ seconds: Int?) throws {
        let answer = try answer(503, "", ["Retry-After": field, "Date": "Wed, 09 Jun 2027 10:18:14 GMT"])
        #expect(answer.retryAfter == seconds.map { .seconds($0) })
    }

    @Test func retryAfterDateIsIgnoredWithoutTheServersClock() throws {
        let answer = try answer(503, "", ["Retry-After": "Wed, 09 Jun 2027 10:19:14 GMT"])
        #expect(answer.retryAfter == nil)
    }

    // MARK: Id tokens

    private func claims(_ json: String) throws -> IDTokenClaims {
        let payload = Base64URL.encode(Array(json.utf8))
        return try #require(IDTokenClaims(reading: "e30.\(payload).c2ln"))
    }

    @Test(arguments: [
        #"{"iss":"https://issuer.example","aud":"app","nonce":"n"}"#,
        #"{"iss":"https://issuer.example","aud":["app"],"nonce":"n"}"#,
        #"{"iss":"https://issuer.example","aud":["app","api"],"azp":"app","nonce":"n"}"#,
    ])
    func anIDTokenOfThisSignInIsAccepted(_ json: String) throws {
        try claims(json).check(issuer: "https://issuer.example", clientID: "app", nonce: "n")
    }

    @Test(arguments: [
        #"{"iss":"https://issuer.example/","aud":"app","nonce":"n"}"#,
        #"{"iss":"https://issuer.example","aud":"other","nonce":"n"}"#,
        #"{"iss":"https://issuer.example","aud":["app","api"],"nonce":"n"}"#,
        #"{"iss":"https://issuer.example","aud":["app","api"],"azp":"api","nonce":"n"}"#,
        #"{"iss":"https://issuer.example","aud":[],"nonce":"n"}"#,
        #"{"iss":"https://issuer.example","aud":"app","nonce":"m"}"#,
        #"{"iss":"https://issuer.example","aud":"app"}"#,
    ])
    func anIDTokenOfAnotherIssuerClientOrSignInIsRefused(_ json: String) throws {
        let claims = try claims(json)
        #expect(throws: SessionError.self) {
            try claims.check(issuer: "https://issuer.example", clientID: "app", nonce: "n")
        }
    }

    @Test(arguments: ["", "a.b", "a.b.c.d", "e30.e30.c2ln", "e30.%%%.c2ln", "e30.bnVsbA.c2ln"])
    func textThatIsNoIDTokenIsReadAsNil(_ token: String) {
        #expect(IDTokenClaims(reading: token) == nil)
        #expect(AuthTokens(accessToken: token).subject == nil)
    }

    @Test func theSubjectIsThatOfTheIdentityToken() {
        func token(_ claims: String) -> String { "e30.\(Base64URL.encode(claims.utf8)).c2ln" }
        let (jane, john) = (token(#"{"sub":"jane"}"#), token(#"{"sub":"john"}"#))
        #expect(AuthTokens(accessToken: john, idToken: jane).subject == "jane")
        #expect(AuthTokens(accessToken: john).subject == "john")
        #expect(AuthTokens(accessToken: john, idToken: token(#"{"sub":1}"#)).subject == nil)
    }

    // MARK: Documents

    @Test(arguments: ["authorization_endpoint", "token_endpoint", "revocation_endpoint", "userinfo_endpoint"])
    func endpointsWithoutTLSAreRefused(_ name: String) throws {
        let issuer = "https://issuer.example"
        var members = ["authorization_endpoint", "token_endpoint", "revocation_endpoint", "userinfo_endpoint"]
            .reduce(into: ["issuer": issuer]) { $0[$1] = "\(issuer)/\($1)" }
        func checked() throws -> OpenIDMetadata {
            let document = try JSONDecoder().decode(OpenIDMetadata.self, from: JSONEncoder().encode(members))
            return try document.checked(for: try #require(URL(string: issuer)))
        }
        _ = try checked()
        members[name] = "http://issuer.example/\(name)"
        #expect(throws: SessionError.misconfigured("the issuer's endpoint http://issuer.example/\(name) needs https")) {
            try checked()
        }
    }
}
