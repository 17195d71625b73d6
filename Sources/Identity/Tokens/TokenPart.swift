#if IdentityTokens
import FoundationEssentials

/// Reads the header or the claims of a token.
///
/// A member that is there twice is refused, however its name is written: readers differ in which of the two counts
/// (RFC 7515, 4 and RFC 7519, 4 allow the last or a refusal), and what the issuer's library has signed for one value must
/// not be read as another. Only members of the part itself are looked at, since nothing is read that lies deeper.
enum TokenPart {
    /// The part, or nil when it is not base64url of a JSON object in UTF-8 as `type` has it, without a byte order mark.
    static func decode<Part: Decodable>(_ type: Part.Type, _ text: some Collection<UInt8>) -> Part? {
        guard let bytes = Base64URL.decode(text), bytes.first != 0xEF, String(validating: bytes, as: UTF8.self) != nil,
            let part = try? JSONDecoder().decode(type, from: Data(bytes)), hasDistinctNames(bytes)
        else { return nil }
        return part
    }

    /// Whether no member of the outermost object has the name of another. The bytes have been decoded, so they are JSON
    /// but for what the decoder lets pass: a comma before a bracket that closes, and control characters in texts.
    private static func hasDistinctNames(_ json: [UInt8]) -> Bool {
        var names: Set<String> = []
        var depth = 0
        var isNameNext = false
        var isAfterComma = false
        var index = 0
        while index < json.count {
            let byte = json[index]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                index += 1
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isNameNext = depth == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if isAfterComma { return false }
                depth -= 1
            case UInt8(ascii: ","): isNameNext = depth == 1
            case UInt8(ascii: ":"): isNameNext = false
            case UInt8(ascii: "\""):
                let start = index
                index += 1
                while index < json.count, json[index] != UInt8(ascii: "\"") {
                    if json[index] < 0x20 { return false }
                    index += json[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard isNameNext else { break }
                let text = Data(json[start...min(index, json.count - 1)])
                // Decoded, since a name may be written with escapes.
                guard let name = try? JSONDecoder().decode(String.self, from: text), names.insert(name).inserted else {
                    return false
                }
            default: break
            }
            isAfterComma = byte == UInt8(ascii: ",")
            index += 1
        }
        return true
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
