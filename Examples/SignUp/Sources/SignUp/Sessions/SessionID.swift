import Crypto
import Foundation

/// The secret in the cookie: 256 random bits. A browser that has it is signed in, so only its hash is stored.
struct SessionID: Hashable {
    /// The value of the cookie: base64url without padding, 43 characters.
    let text: String

    init() { text = Secret.random() }

    /// Reads a cookie's value; nil if it does not have the form of a session's id.
    init?(_ text: String) {
        guard text.utf8.count == 43, text.utf8.allSatisfy(Self.isBase64URL) else { return nil }
        self.text = text
    }

    /// The name of the session's folder: a hash, so that the store doesn't contain the secret.
    var hash: String { Secret.hash(text) }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

enum Secret {
    /// 256 bits from the system's random number generator, as base64url.
    static func random() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64URL
    }

    /// SHA-256 in hexadecimal digits.
    static func hash(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Compares two secrets in constant time: the time does not depend on where they differ.
    static func areEqual(_ one: String, _ other: String) -> Bool {
        SHA256.hash(data: Data(one.utf8)) == SHA256.hash(data: Data(other.utf8))
    }
}

extension Data {
    /// Base64 for URLs and cookies, without padding (RFC 4648, 5).
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    init?(base64URL text: String) {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
    }
}
