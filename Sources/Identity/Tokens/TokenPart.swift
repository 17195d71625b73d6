#if IdentityTokens
import FoundationEssentials
import StrictJSON

/// Reads the header or the claims of a token.
///
/// A member that is there twice is refused, however its name is written: readers differ in which of the two counts
/// (RFC 7515, 4 and RFC 7519, 4 allow the last or a refusal), and what the issuer's library has signed for one value must
/// not be read as another. Only members of the part itself are compared, since nothing is read that lies deeper: an issuer
/// may put into a claim of its own what it likes.
enum TokenPart {
    /// The part, or nil when it is not base64url of a JSON object as `type` has it, or when ``JSONText`` refuses it.
    static func decode<Part: Decodable>(_ type: Part.Type, _ text: some Collection<UInt8>) -> Part? {
        guard let bytes = Base64URL.decode(text),
            (try? JSONText(checking: bytes.span, distinctNames: .outermost)) != nil
        else { return nil }
        return try? JSONDecoder().decode(type, from: Data(bytes))
    }
}

/// One text or an array of them, as `aud` is (RFC 7519, 4.1.3).
package struct OneOrMany: Decodable, Sendable {
    package let values: [String]

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        values = if let one = try? container.decode(String.self) { [one] } else { try container.decode([String].self) }
    }
}
#endif
