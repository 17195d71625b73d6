import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import CP256
#endif

/// A key for ES256 and its public part as a JSON web key.
struct SigningKey: Sendable {
    let id: String
    private let key = P256Key()

    init(id: String) { self.id = id }

    /// RFC 7517.
    var jwk: [String: String] {
        let (x, y) = key.coordinates
        return [
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": id, "x": base64URL(x), "y": base64URL(y),
        ]
    }

    /// A JSON web token (RFC 7519) of these claims.
    func token(_ claims: some Encodable, type: String) -> String {
        let header = ["alg": "ES256", "kid": id, "typ": type]
        let content = "\(base64URL(encoded(header))).\(base64URL(encoded(claims)))"
        return "\(content).\(base64URL(key.signature(of: Array(content.utf8))))"
    }
}

#if canImport(CryptoKit)
/// A private key on P-256.
private struct P256Key: Sendable {
    private let key = P256.Signing.PrivateKey()

    /// The two numbers of the public key, 32 bytes each.
    var coordinates: (x: Data, y: Data) {
        let bytes = key.publicKey.rawRepresentation
        return (bytes.prefix(32), bytes.suffix(32))
    }

    /// 64 bytes.
    func signature(of bytes: [UInt8]) -> Data {
        do {
            return try key.signature(for: bytes).rawRepresentation
        } catch {
            preconditionFailure("CryptoKit could not sign: \(error)")
        }
    }
}
#else
/// A private key on P-256. Safe to share: libcrypto only reads the key.
private final class P256Key: @unchecked Sendable {
    private let key: OpaquePointer

    init() {
        guard let key = cp256_make() else { preconditionFailure("libcrypto could not make a key on P-256") }
        self.key = key
    }

    deinit { cp256_free(key) }

    /// The two numbers of the public key, 32 bytes each.
    var coordinates: (x: [UInt8], y: [UInt8]) {
        var x = [UInt8](repeating: 0, count: Int(CP256_COORDINATE_BYTES)), y = x
        precondition(cp256_public(key, &x, &y) == 1, "libcrypto could not read the public key")
        return (x, y)
    }

    /// 64 bytes.
    func signature(of bytes: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Int(CP256_SIGNATURE_BYTES))
        precondition(cp256_sign(key, bytes, bytes.count, &signature) == 1, "libcrypto could not sign")
        return signature
    }
}
#endif

package func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
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
