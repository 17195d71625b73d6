#if IdentityTokens
import HandleRules

extension TokenVerifier {
    /// Accepts the tokens of these issuers.
    package init(_ issuers: [TokenIssuer]) {
        self.init { text, now throws(TokenFault) in
            let token = try IdentityToken(text)
            guard let issuer = issuers.first(where: { $0.name.isSame(as: token.claims.issuer) }) else {
                throw .unknownIssuer
            }
            return try await issuer.person(showing: token, at: now)
        }
    }
}
#endif
