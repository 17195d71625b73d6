#if IdentityTokens
import FoundationEssentials
import StrictJSON

/// Decodes the header or the claims of a token.
///
/// Repeated members are refused, with or without escapes in their names. Parsers differ in which of the two counts (RFC
/// 7515, 4 and RFC 7519, 4 allow the last, or a refusal), so a value that the issuer's library signed could be read as
/// another. Only the top-level members are checked, because nothing deeper is read: an issuer may put any JSON into its
/// own claims.
enum TokenPart {
    /// The part, or nil when it is not base64url of a JSON object that decodes as `type`, or when ``JSONText`` refuses
    /// it.
    static func decode<Part: Decodable>(_ type: Part.Type, _ text: some Collection<UInt8>) -> Part? {
        guard let bytes = Base64URL.decode(text),
            (try? JSONText(checking: bytes.span, distinctNames: .outermost)) != nil
        else { return nil }
        return try? JSONDecoder().decode(type, from: Data(bytes))
    }
}

/// One string or an array of strings, such as `aud` (RFC 7519, 4.1.3).
package struct OneOrMany: Decodable, Sendable {
    package let values: [String]

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        values = if let one = try? container.decode(String.self) { [one] } else { try container.decode([String].self) }
    }
}
#endif
