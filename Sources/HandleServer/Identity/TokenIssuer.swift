#if IdentityTokens
import FoundationEssentials
import HandleRules

/// A trusted issuer of identity tokens.
package struct TokenIssuer: Sendable {
    /// The `iss` of its tokens, byte for byte.
    package let name: String
    /// A token's `aud` must contain one of these.
    package let audiences: [String]
    package let keys: IssuerKeys

    /// The rule for names. Without `|` in the name, an owner's id can be split into issuer and subject.
    package static let nameRule = "1 to \(longestName) printable ASCII characters without spaces and without '|'"
    /// Leaves room for a subject in an owner's id.
    private static let longestName = 200
    package static let audienceRule = "1 to 255 printable ASCII characters without spaces"

    /// Returns nil when the name or an audience is invalid, or there is no audience.
    /// - Parameter patience: the timeout of requests for the issuer's keys.
    package init?(
        name: String, audiences: [String], keys source: KeySource, patience: Duration = KeySource.timeout
    ) {
        func isPrintable(_ text: String, _ length: ClosedRange<Int>) -> Bool {
            length.contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        guard isPrintable(name, 1...Self.longestName), !name.contains("|"), !audiences.isEmpty,
            audiences.allSatisfy({ isPrintable($0, 1...255) })
        else { return nil }
        self.name = name
        self.audiences = audiences
        keys = IssuerKeys(source, patience: patience)
    }

    /// Verifies a token that names this issuer. The signature is checked before the claims.
    func person(showing token: IdentityToken, at now: Date) async throws(TokenFault) -> Person {
        switch await keys.answer(to: token.keyID, token.algorithm) {
        case .notLoaded: throw .keysNotLoaded
        case .unknown: throw .unknownKey
        case .known(let keys):
            guard keys.contains(where: { $0.isSignature(token.signature, of: token.signed) }) else {
                throw .wrongSignature
            }
        }
        try token.claims.check(for: audiences, at: now)
        guard let owner = Owner("\(name)|\(token.claims.subject)") else { throw .unusableSubject }
        return Person(owner: owner, end: token.claims.expiry + TokenClaims.leeway)
    }
}
#endif
