#if IdentityTokens
/// A parsed signed token in the compact form (RFC 7515, 7.1). Nothing in it is verified yet.
struct IdentityToken {
    /// The algorithm that the token names; the key decides which one is allowed.
    let algorithm: String
    /// The id of the key that the token names.
    let keyID: String?
    let claims: TokenClaims
    /// The bytes that were signed.
    let signed: ArraySlice<UInt8>
    let signature: [UInt8]

    /// Longer tokens are refused before any other work; tokens of common issuers have one or two thousand bytes.
    static let longest = 8 * 1024

    init(_ text: String) throws(TokenFault) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest else { throw .tooLong }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = TokenPart.decode(Header.self, parts[0]),
            let claims = TokenPart.decode(TokenClaims.self, parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        guard header.isOfAnIdentityToken else { throw .otherKind }
        algorithm = header.algorithm
        keyID = header.keyID
        self.claims = claims
        signed = bytes[..<parts[1].endIndex]
        self.signature = signature
    }
}

/// The members of a token's header that count. Keys that the token contains or refers to (`jwk`, `jku`, `x5c`, `x5u`)
/// are ignored.
private struct Header: Decodable {
    let algorithm: String
    let keyID: String?
    let isOfAnIdentityToken: Bool

    private enum Name: String, CodingKey { case alg, kid, typ, crit, b64 }

    private static let types = ["jwt", "at+jwt"]

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        algorithm = try members.decode(String.self, forKey: .alg)
        keyID = try members.contains(.kid) ? members.decode(String.self, forKey: .kid) : nil
        let type = try members.contains(.typ) ? members.decode(String.self, forKey: .typ) : nil
        // No extension is supported here, so none may be critical; `b64` would change what is signed (RFC 7797).
        isOfAnIdentityToken =
            !members.contains(.crit) && !members.contains(.b64)
            && (type.map { Self.types.contains($0.lowercased()) } ?? true)
    }
}
#endif
