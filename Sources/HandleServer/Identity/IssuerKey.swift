#if IdentityTokens
import FoundationEssentials
import JWTKit

/// A public key of an issuer, with the one algorithm that it is for.
struct IssuerKey: Sendable {
    /// The `kid`.
    let id: String?
    /// The name of the algorithm (RFC 7518, 3.1; RFC 8037). A token that names another is refused, so a key can't be
    /// used differently than its issuer does: not a public key as the secret of an HMAC, nor RSA with another padding.
    let algorithm: String
    private let verifier: any JWTAlgorithm

    func isSignature(_ signature: [UInt8], of bytes: ArraySlice<UInt8>) -> Bool {
        // It throws when the length is not that of a signature.
        (try? verifier.verify(signature, signs: bytes)) ?? false
    }

    /// The keys of a set (RFC 7517, 5) that can check signatures. Others are skipped: secrets, encryption keys, unknown
    /// curves, RSA with less than 2,048 bits.
    /// - Throws: ``KeySource/Fault`` when it is not a set of keys.
    static func keys(in set: Data) async throws -> [IssuerKey] {
        guard let candidates = try? JSONDecoder().decode(KeySet.self, from: set).keys else {
            throw KeySource.Fault(#"it is not a JWK set, {"keys":[…]}"#)
        }
        var keys: [IssuerKey] = []
        for candidate in candidates {
            guard let key = candidate.key, keys.count < mostKeys, let usable = await IssuerKey(key) else { continue }
            keys.append(usable)
        }
        return keys
    }

    /// Further keys are skipped; issuers have two or three.
    private static let mostKeys = 100

    private init?(_ key: PublicKey) async {
        guard let algorithm = key.algorithm, let jwk = key.jwk(algorithm) else { return nil }
        id = key.kid
        self.algorithm = algorithm.rawValue
        let collection = JWTKeyCollection()
        guard (try? await collection.add(jwk: jwk)) != nil,
            let verifier = try? await collection.getKey(for: jwk.keyIdentifier, alg: algorithm.rawValue)
        else { return nil }
        self.verifier = verifier
    }
}

private struct KeySet: Decodable {
    let keys: [Candidate]

    /// A key; nil when it can't be decoded.
    struct Candidate: Decodable {
        let key: PublicKey?

        init(from decoder: any Decoder) { key = try? PublicKey(from: decoder) }
    }
}

/// The public members of a key in a set (RFC 7517, 4; RFC 7518, 6).
private struct PublicKey: Decodable {
    let kty: String
    let alg: String?
    let use: String?
    let key_ops: [String]?
    let kid: String?
    let crv: String?
    let x: String?
    let y: String?
    let n: String?
    let e: String?

    /// The signature algorithm of the key: the one it names, if its type allows it, or the default of its type. Nil
    /// when the key has another purpose.
    var algorithm: JWK.Algorithm? {
        guard use ?? "sig" == "sig", key_ops?.contains("verify") ?? true else { return nil }
        let possible: [JWK.Algorithm] =
            switch (kty, crv) {
            case ("RSA", _): [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
            case ("EC", "P-256"): [.es256]
            case ("EC", "P-384"): [.es384]
            case ("EC", "P-521"): [.es512]
            case ("OKP", "Ed25519"): [.eddsa]
            default: []
            }
        guard let alg else { return possible.first }
        return possible.first { $0.rawValue == alg }
    }

    /// The key for the library, without private members even if the set has them.
    func jwk(_ algorithm: JWK.Algorithm) -> JWK? {
        let id = JWKIdentifier(string: kid ?? "")
        return switch kty {
        case "RSA": .rsa(algorithm, identifier: id, modulus: n, exponent: e)
        case "EC": .ecdsa(algorithm, identifier: id, x: x, y: y, curve: crv.flatMap(ECDSACurve.init(rawValue:)))
        case "OKP":
            .octetKeyPair(algorithm, identifier: id, x: x, y: nil, curve: crv.flatMap(EdDSACurve.init(rawValue:)))
        default: nil
        }
    }
}
#endif
