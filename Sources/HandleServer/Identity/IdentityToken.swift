#if IdentityTokens
import HandleRegistry

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
        guard parts.count == 3, let header = JSONValue(tokenPart: parts[0]).flatMap(Header.init),
            let claims = JSONValue(tokenPart: parts[1]).flatMap(TokenClaims.init),
            let signature = Base64URL.decode(parts[2])
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
private struct Header {
    let algorithm: String
    let keyID: String?
    let isOfAnIdentityToken: Bool

    private static let types = ["jwt", "at+jwt"]

    /// Nil when a member has another form than expected.
    init?(_ json: JSONValue) {
        guard case .string(let algorithm) = json["alg"] else { return nil }
        var texts: [String: String] = [:]
        for name in ["kid", "typ"] {
            guard let value = json[name] else { continue }
            guard case .string(let text) = value else { return nil }
            texts[name] = text
        }
        (self.algorithm, keyID) = (algorithm, texts["kid"])
        // No extension is supported here, so none may be critical; `b64` would change what is signed (RFC 7797).
        isOfAnIdentityToken =
            json["crit"] == nil && json["b64"] == nil
            && (texts["typ"].map { Self.types.contains($0.lowercased()) } ?? true)
    }
}

extension JSONValue {
    /// The header or the claims of a token; nil when they are not base64url of JSON.
    ///
    /// Repeated members are refused, with or without escapes in their names. Parsers differ in which of the two counts
    /// (RFC 7515, 4 and RFC 7519, 4 allow the last, or a refusal), so a value that the issuer's library signed could be
    /// read as another. Only the top-level members are checked, because nothing deeper is read: an issuer may put any
    /// JSON into its own claims.
    fileprivate init?(tokenPart text: some Collection<UInt8>) {
        guard let bytes = Base64URL.decode(text), let value = try? JSONValue(reading: bytes, .issuers) else {
            return nil
        }
        self = value
    }
}
#endif
