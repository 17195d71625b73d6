import CP256
import Foundation

/// A key for ES256 and its public part as a JSON web key. Safe to share: libcrypto only reads the key.
final class SigningKey: @unchecked Sendable {
    let id: String
    private let key: OpaquePointer

    init(id: String) {
        guard let key = cp256_make() else { preconditionFailure("libcrypto could not make a key on P-256") }
        self.id = id
        self.key = key
    }

    deinit { cp256_free(key) }

    /// RFC 7517.
    var jwk: [String: String] {
        var x = [UInt8](repeating: 0, count: Int(CP256_COORDINATE_BYTES)), y = x
        precondition(cp256_public(key, &x, &y) == 1, "libcrypto could not read the public key")
        return [
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": id, "x": base64URL(x), "y": base64URL(y),
        ]
    }

    /// A JSON web token (RFC 7519) of these claims.
    func token(_ claims: some Encodable, type: String) -> String {
        let header = ["alg": "ES256", "kid": id, "typ": type]
        let content = "\(base64URL(encoded(header))).\(base64URL(encoded(claims)))"
        var signature = [UInt8](repeating: 0, count: Int(CP256_SIGNATURE_BYTES))
        let bytes = Array(content.utf8)
        precondition(cp256_sign(key, bytes, bytes.count, &signature) == 1, "libcrypto could not sign")
        return "\(content).\(base64URL(signature))"
    }
}

package func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

/// The 32 bytes of the SHA-256 of `bytes`.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    precondition(cp256_sha256(bytes, bytes.count, &digest) == 1, "libcrypto could not compute SHA-256")
    return digest
}

func encoded(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { preconditionFailure("\(type(of: value)) is no JSON") }
    return data
}

/// 256 random bits.
func secret(_ kind: String) -> String {
    var generator = SystemRandomNumberGenerator()
    return "\(kind)-" + base64URL((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
}
