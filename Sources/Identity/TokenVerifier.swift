package import struct FoundationEssentials.Date

/// Checks identity tokens. What knows how is behind the trait `IdentityTokens`; without it no verifier can be made, and
/// every token is refused as an unknown key is.
package struct TokenVerifier: Sendable {
    /// The person that a token is for, if it is valid at the given time.
    package let verify: @Sendable (_ token: String, _ now: Date) async throws(TokenFault) -> Person

    package init(verify: @escaping @Sendable (_ token: String, _ now: Date) async throws(TokenFault) -> Person) {
        self.verify = verify
    }

    /// Whether a text has the form of a token: three parts. Access keys have no dots, and an encrypted token has five
    /// parts.
    package static func isTokenShaped(_ text: String) -> Bool { text.utf8.count { $0 == UInt8(ascii: ".") } == 2 }
}
