package import struct FoundationEssentials.Date

/// Checks identity tokens. The implementation is behind the trait `IdentityTokens`; without it there is no verifier,
/// and every token is refused.
package struct TokenVerifier: Sendable {
    /// Returns the person that a token identifies, if it is valid at the given time.
    package let verify: @Sendable (_ token: String, _ now: Date) async throws(TokenFault) -> Person

    package init(verify: @escaping @Sendable (_ token: String, _ now: Date) async throws(TokenFault) -> Person) {
        self.verify = verify
    }

    /// Whether a text has the form of a token: three parts. Access keys have no dots, and an encrypted token has five
    /// parts.
    package static func isTokenShaped(_ text: String) -> Bool { text.utf8.count { $0 == UInt8(ascii: ".") } == 2 }
}
