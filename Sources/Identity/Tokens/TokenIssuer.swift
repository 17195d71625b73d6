#if IdentityTokens
import FoundationEssentials
import HandleCore

/// Somebody whose identity tokens are believed.
package struct TokenIssuer: Sendable {
    /// What its tokens have as `iss`, byte for byte.
    package let name: String
    /// Of what its tokens have as `aud`, one must be among these.
    package let audiences: [String]
    package let keys: IssuerKeys

    /// What a name may be. Without `|` in it an owner's id says which part is the issuer and which the subject.
    package static let nameRule = "1 to \(longestName) printable ASCII characters without spaces and without '|'"
    /// An owner's id has room for a subject besides.
    private static let longestName = 200
    package static let audienceRule = "1 to 255 printable ASCII characters without spaces"

    /// Nil when the name or an audience is none, or there is no audience.
    /// - Parameter patience: how long the issuer may take to give its keys.
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

    /// Who shows a token that this issuer is said to have made. The signature is checked before the claims are believed.
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
