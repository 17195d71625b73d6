import Foundation
import OpenIDSessions
import Sessions
import TestIssuer
import Testing

@Test func personSignsIn() async throws {
    let redirectURI = try #require(URL(string: "http://127.0.0.1/callback"))
    try await Issuer.run { issuer in  // stopped afterwards
        let backend = try OpenIDBackend(issuer: issuer.url, clientID: "app", redirectURI: redirectURI)
        let request = try await backend.authorization()
        let callback = try await issuer.signIn(at: request.url, as: "jane")
        let tokens = try await backend.tokens(for: backend.credential(from: callback, for: request))
        #expect(tokens.subject == "jane")
        await issuer.fail(.token, with: .status(503, retryAfter: 5), .drop)
    }
}
