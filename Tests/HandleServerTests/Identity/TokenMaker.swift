#if IdentityTokens
import Crypto
import CryptoExtras
import Foundation
import HandleServer
import TestSupport

/// A key with which an issuer signs tokens. Another library makes it than the one that verifies them.
struct TestKey: Sendable {
    let id: String
    let algorithm: String
    /// The public members except `kid`, `alg` and `use`, as JSON.
    let members: String
    let sign: @Sendable ([UInt8]) throws -> [UInt8]

    /// The key as a member of a key set.
    var jwk: String { #"{"kid":"\#(id)","alg":"\#(algorithm)","use":"sig",\#(members)}"# }

    static func set(_ keys: [String]) -> String { #"{"keys":[\#(keys.joined(separator: ","))]}"# }
}

extension TestKey {
    static func rsa(_ id: String, _ algorithm: String = "RS256") throws -> TestKey {
        try rsa(id, algorithm, _RSA.Signing.PrivateKey(keySize: .bits2048))
    }

    static func rsa(_ id: String, _ algorithm: String, _ key: _RSA.Signing.PrivateKey) throws -> TestKey {
        let numbers = try key.publicKey.getKeyPrimitives()
        return TestKey(
            id: id, algorithm: algorithm,
            members: #""kty":"RSA","n":"\#(base64URL(numbers.modulus))","e":"\#(base64URL(numbers.publicExponent))""#
        ) { bytes in
            let padding: _RSA.Signing.Padding = algorithm.hasPrefix("PS") ? .PSS : .insecurePKCS1v1_5
            let signature =
                switch algorithm.suffix(3) {
                case "384": try key.signature(for: SHA384.hash(data: bytes), padding: padding)
                case "512": try key.signature(for: SHA512.hash(data: bytes), padding: padding)
                default: try key.signature(for: SHA256.hash(data: bytes), padding: padding)
                }
            return Array(signature.rawRepresentation)
        }
    }

    static func p256(_ id: String) -> TestKey {
        let key = P256.Signing.PrivateKey()
        return elliptic(id, "ES256", "P-256", key.publicKey.x963Representation) {
            Array(try key.signature(for: $0).rawRepresentation)
        }
    }

    static func p384(_ id: String) -> TestKey {
        let key = P384.Signing.PrivateKey()
        return elliptic(id, "ES384", "P-384", key.publicKey.x963Representation) {
            Array(try key.signature(for: $0).rawRepresentation)
        }
    }

    static func p521(_ id: String) -> TestKey {
        let key = P521.Signing.PrivateKey()
        return elliptic(id, "ES512", "P-521", key.publicKey.x963Representation) {
            Array(try key.signature(for: $0).rawRepresentation)
        }
    }

    private static func elliptic(
        _ id: String, _ algorithm: String, _ curve: String, _ point: Data,
        _ sign: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) -> TestKey {
        let half = (point.count - 1) / 2
        let (x, y) = (point.dropFirst().prefix(half), point.suffix(half))
        return TestKey(
            id: id, algorithm: algorithm,
            members: #""kty":"EC","crv":"\#(curve)","x":"\#(base64URL(x))","y":"\#(base64URL(y))""#, sign: sign)
    }

    static func ed25519(_ id: String) -> TestKey {
        let key = Curve25519.Signing.PrivateKey()
        let x = base64URL(key.publicKey.rawRepresentation)
        return TestKey(id: id, algorithm: "EdDSA", members: #""kty":"OKP","crv":"Ed25519","x":"\#(x)""#) {
            Array(try key.signature(for: $0))
        }
    }
}

func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

/// The usual claims as JSON, with some changed. The value of a change is JSON; nil leaves the claim out.
func claims(_ changes: [String: String?] = [:], now: Date = .now) -> String {
    let seconds = Int(now.timeIntervalSince1970)
    let usual = [
        "iss": #""https://login.example""#, "aud": #""app""#, "sub": #""jane""#, "exp": "\(seconds + 600)",
        "iat": "\(seconds)",
    ]
    let all = usual.merging(changes.compactMapValues(\.self)) { $1 }.filter { changes[$0.key] != .some(nil) }
    return "{" + all.map { #""\#($0)":\#($1)"# }.sorted().joined(separator: ",") + "}"
}

extension TestKey {
    /// A valid token, unless the changes to its claims make it invalid.
    func token(_ changes: [String: String?] = [:]) throws -> String { try token(claims: claims(changes)) }

    /// - Parameter header: the header as JSON; nil for the usual one.
    func token(header: String? = nil, claims: String) throws -> String {
        try token(
            bytes: Array((header ?? #"{"alg":"\#(algorithm)","typ":"JWT","kid":"\#(id)"}"#).utf8), Array(claims.utf8))
    }

    func token(bytes header: [UInt8], _ claims: [UInt8]) throws -> String {
        let signed = "\(base64URL(header)).\(base64URL(claims))"
        return "\(signed).\(base64URL(try sign(Array(signed.utf8))))"
    }
}

/// Two issuers with a key file each, and their private keys. Made once, because RSA keys take long.
struct TestIssuers: Sendable {
    let rsa: TestKey
    let pss: TestKey
    let p256 = TestKey.p256("ec-1")
    let p384 = TestKey.p384("ec-2")
    let p521 = TestKey.p521("ec-3")
    let ed25519 = TestKey.ed25519("ed-1")
    /// The only key of another issuer.
    let other = TestKey.p256("other-1")
    /// A key that is not published, with the `kid` of one that is.
    let stranger = TestKey.p256("ec-1")
    /// Keys in the first issuer's set that must not verify tokens; `small` is one too.
    let forEncryption = TestKey.p256("for-encryption")
    let notForVerifying = TestKey.p256("not-for-verifying")
    let small: TestKey
    let all: [TokenIssuer]

    /// Made on its own thread, so that making RSA keys blocks no thread of the pool that runs the tests.
    static let made = Task<TestIssuers, any Error> {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try TestIssuers() }) }
        }
    }

    init() throws {
        rsa = try .rsa("rsa-1")
        pss = try .rsa("rsa-2", "PS256")
        small = try .rsa("small", "RS256", _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)))
        let folder = TemporaryFolder.make("keys")
        let first = TestKey.set(
            [rsa, pss, p256, p384, p521, ed25519, small].map(\.jwk) + [
                #"{"kid":"secret","kty":"oct","alg":"HS256","k":"c2VjcmV0"}"#, #"{"kid":7}"#, "[]", "null",
                #"{"kid":"for-encryption","use":"enc",\#(forEncryption.members)}"#,
                #"{"kid":"not-for-verifying","key_ops":["sign"],\#(notForVerifying.members)}"#,
            ])
        // Without `alg` and `kid`: the algorithm follows from the key, and there is only one key.
        let second = TestKey.set(["{\(other.members)}"])
        try first.write(toFile: "\(folder)/first.json", atomically: true, encoding: .utf8)
        try second.write(toFile: "\(folder)/second.json", atomically: true, encoding: .utf8)
        all = [
            TokenIssuer(
                name: "https://login.example", audiences: ["app", "other-app"], keys: .file("\(folder)/first.json")),
            TokenIssuer(name: "https://other.example", audiences: ["app"], keys: .file("\(folder)/second.json")),
        ].compactMap(\.self)
    }
}
#endif
