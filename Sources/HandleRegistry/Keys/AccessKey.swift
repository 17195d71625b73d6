/// An access key of a caller: `hdl_`, 160 random bits and a checksum, in the base 32 of RFC 4648, in lowercase.
///
/// The checksum is CRC-32 (ISO 3309) of the characters before it. It detects every error within 32 consecutive bits,
/// and so every wrong character and every two neighbours that are swapped.
package struct AccessKey: Sendable {
    /// The secret itself.
    package let text: String

    static let prefix = "hdl_"
    /// Characters with the prefix, without the checksum.
    private static let lengthOfBody = 36

    /// A new key.
    package static func random() -> AccessKey {
        let body = Secret.random(prefix: prefix)
        return AccessKey(unchecked: body + checksum(of: body))
    }

    private init(unchecked text: String) { self.text = text }

    /// Nil if `text` has another form or the wrong checksum.
    package init?(_ text: String) {
        let body = String(text.prefix(Self.lengthOfBody))
        guard body.utf8.count == Self.lengthOfBody, body.hasPrefix(Self.prefix),
            body.dropFirst(Self.prefix.count).allSatisfy(Secret.letters.contains),
            text == body + Self.checksum(of: body)
        else { return nil }
        self.text = text
    }

    /// True if `text` may have been meant as a key. Such a text should not be repeated in any output.
    package static func isLike(_ text: String) -> Bool { text.lowercased().hasPrefix(prefix) }

    /// SHA-256 of the key: the only part that is stored. 160 random bits can't be guessed, so the hash needs no salt
    /// and need not be slow.
    var hash: [UInt8] { SHA256(Array(text.utf8)).bytes }

    /// A public name for the key, which grants nothing: the first 40 bits of its hash.
    package var id: String {
        let bits = hash.prefix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Self.letters(bits, count: 8)
    }

    private static func checksum(of body: String) -> String {
        var sum = UInt32.max
        for byte in body.utf8 {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return letters(UInt64(~sum), count: 7)
    }

    private static func letters(_ bits: UInt64, count: Int) -> String {
        String((0..<count).reversed().map { Secret.letters[Int(bits >> (5 * UInt64($0)) & 31)] })
    }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// The id, so that no key is logged by mistake.
    package var description: String { "key \(id)" }
    package var debugDescription: String { description }
}
