#if IdentityTokens
import Crypto
import Foundation

/// Texts that look like identity tokens, each with one thing wrong.
struct HostileTokens {
    let issuers: TestIssuers

    private var rsa: TestKey { issuers.rsa }
    private var p256: TestKey { issuers.p256 }
    private var seconds: Int { Int(Date.now.timeIntervalSince1970) }

    /// A token that the issuer signed, with another header.
    private func header(_ json: String, _ key: TestKey? = nil) throws -> String {
        try (key ?? rsa).token(header: json, claims: claims())
    }

    /// A token that the issuer signed, with other claims.
    private func claim(_ name: String, _ json: String?) throws -> String { try rsa.token([name: json]) }

    private func parts(_ token: String) -> [String] { token.components(separatedBy: ".") }

    /// A token with the usual claims and a signature that no key has made.
    private func forged(_ header: String, _ signature: [UInt8]) -> String {
        "\(base64URL(header.utf8)).\(base64URL(claims().utf8)).\(base64URL(signature))"
    }

    private func hmac(_ secret: some DataProtocol, _ id: String) -> String {
        let signed = "\(base64URL(#"{"alg":"HS256","typ":"JWT","kid":"\#(id)"}"#.utf8)).\(base64URL(claims().utf8))"
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8), using: SymmetricKey(data: Array(secret)))
        return "\(signed).\(base64URL(code))"
    }

    func all() throws -> [(name: String, token: String)] {
        try algorithms() + signatures() + keys() + headers() + encodings() + issuersAndAudiences() + times()
            + subjects()
    }

    private func algorithms() throws -> [(String, String)] {
        var all: [(String, String)] = []
        for none in ["none", "None", "NONE", "nOnE", " none", "none ", "no\\u006ee"] {
            let header = #"{"alg":"\#(none)","typ":"JWT","kid":"rsa-1"}"#
            all.append(("alg \(none), no signature", forged(header, [])))
            all.append(("alg \(none), a valid signature", try self.header(header)))
        }
        for alg in [
            #""""#, "null", "7", "true", #"["RS256"]"#, #"{"a":"RS256"}"#, #""rs256""#, #""RS256 ""#, #""HS256""#,
        ] {
            all.append(("alg \(alg)", try header(#"{"alg":\#(alg),"kid":"rsa-1"}"#)))
        }
        // A valid signature, but `alg` is not the algorithm of the key.
        for (key, alg) in [
            (rsa, "RS384"), (rsa, "RS512"), (rsa, "PS256"), (rsa, "ES256"), (issuers.pss, "RS256"), (p256, "ES384"),
            (p256, "ES256K"), (issuers.p384, "ES256"), (issuers.ed25519, "ES256"), (issuers.ed25519, "Ed25519"),
            (p256, "EdDSA"), (p256, "RS256"),
        ] {
            all.append(
                ("a key for \(key.algorithm) with \(alg)", try header(#"{"alg":"\#(alg)","kid":"\#(key.id)"}"#, key)))
        }
        all.append(("no alg", try header(#"{"kid":"rsa-1"}"#)))
        // The public key as the secret of an HMAC.
        for key in [rsa, p256] {
            all.append(("HS256 with the public key as JSON", hmac(Data(key.jwk.utf8), key.id)))
            for part in key.members.components(separatedBy: "\"").filter({ $0.count > 20 }) {
                all.append(("HS256 with a number of the public key", hmac(Data(part.utf8), key.id)))
            }
        }
        all.append(("HS256 with the secret of the set", hmac(Data("secret".utf8), "secret")))
        all.append(("HS256 without a secret", hmac(Data(), "rsa-1")))
        return all
    }

    private func signatures() throws -> [(String, String)] {
        let good = parts(try rsa.token())
        let curve = parts(try p256.token())
        let signed = Array("\(curve[0]).\(curve[1])".utf8)
        let bytes = try p256.sign(signed)
        let der = try P256.Signing.ECDSASignature(rawRepresentation: bytes).derRepresentation
        // The order of P-256 (FIPS 186): r and s must be less.
        let order =
            [UInt8](repeating: 0xFF, count: 4) + [0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ]
        let zero = [UInt8](repeating: 0, count: 32)
        func with(_ signature: some Sequence<UInt8>) -> String { "\(curve[0]).\(curve[1]).\(base64URL(signature))" }
        let edwards = parts(try issuers.ed25519.token())
        return [
            ("no signature", "\(good[0]).\(good[1])."), ("two parts", "\(good[0]).\(good[1])"),
            ("four parts", "\(good[0]).\(good[1]).\(good[2]).\(good[2])"), ("no header", ".\(good[1]).\(good[2])"),
            ("no claims", "\(good[0])..\(good[2])"), ("only dots", ".."),
            ("a byte less", "\(good[0]).\(good[1]).\(good[2].dropLast(4))"),
            ("another signature", "\(good[0]).\(good[1]).\(parts(try rsa.token(["sub": #""joe""#]))[2])"),
            ("zeros", "\(good[0]).\(good[1]).\(base64URL([UInt8](repeating: 0, count: 256)))"),
            ("one", "\(good[0]).\(good[1]).\(base64URL([UInt8](repeating: 0, count: 255) + [1]))"),
            ("other claims", "\(good[0]).\(base64URL(claims(["sub": #""joe""#]).utf8)).\(good[2])"),
            ("r and s zero", with(zero + zero)), ("r zero", with(zero + bytes[32...])),
            ("s zero", with(bytes[..<32] + zero)), ("r the order", with(order + bytes[32...])),
            ("s the order", with(bytes[..<32] + order)), ("r and s changed", with(bytes[32...] + bytes[..<32])),
            ("DER", with(der)), ("an empty signature of a curve", with([])), ("a zero before", with([0] + bytes)),
            ("a zero after", with(bytes + [0])), ("an empty one of Ed25519", "\(edwards[0]).\(edwards[1])."),
            ("zeros of Ed25519", "\(edwards[0]).\(edwards[1]).\(base64URL(zero + zero))"),
            // R is the neutral element and S is zero: valid only for keys of small order.
            ("the neutral element", "\(edwards[0]).\(edwards[1]).\(base64URL([1] + zero.dropLast() + zero))"),
        ]
    }

    private func keys() throws -> [(String, String)] {
        let stranger = issuers.stranger
        let pem = P256.Signing.PrivateKey().publicKey.pemRepresentation.replacing("\n", with: "\\n")
        var all = [
            ("a stranger's key under a known kid", try stranger.token()),
            ("no kid and several keys", try header(#"{"alg":"RS256"}"#)),
            ("the kid of another key of the issuer", try header(#"{"alg":"ES256","kid":"ec-1"}"#, issuers.other)),
            ("another issuer's key and this one's iss", try issuers.other.token()),
            ("this issuer's key and another's iss", try rsa.token(["iss": #""https://other.example""#])),
            (
                "this issuer's key of the same kind and another's iss",
                try p256.token(header: #"{"alg":"ES256"}"#, claims: claims(["iss": #""https://other.example""#]))
            ),
            ("a key to encrypt", try issuers.forEncryption.token()),
            ("a key not to verify with", try issuers.notForVerifying.token()),
            ("RSA with 1,024 bits", try issuers.small.token()),
        ]
        for (name, more) in [
            ("key", #""jwk":{\#(stranger.members)}"#), ("key by a known kid", #""kid":"ec-1","jwk":\#(stranger.jwk)"#),
            ("address of keys", #""kid":"ec-1","jku":"https://evil.example/jwks.json""#),
            ("address of certificates", #""kid":"ec-1","x5u":"https://evil.example/x""#),
            ("certificates", #""kid":"ec-1","x5c":["\#(pem)"]"#),
        ] { all.append(("a stranger's \(name) in the header", try header(#"{"alg":"ES256",\#(more)}"#, stranger))) }
        for kid in [
            #"../../../../dev/null"#, #"/etc/passwd"#, #"x' OR '1'='1"#, #"rsa-1\u0000"#, #"RSA-1"#, #" rsa-1"#,
            #"rsa-1;id"#,
            #"ｒsa-1"#, "", #"https://evil.example/key"#, #"$(id)"#,
        ] { all.append(("kid \(kid)", try header(#"{"alg":"RS256","kid":"\#(kid)"}"#))) }
        for kid in ["null", "1", #"["rsa-1"]"#, "{}", "true"] {
            all.append(("kid \(kid)", try header(#"{"alg":"RS256","kid":\#(kid)}"#)))
        }
        return all
    }

    private func headers() throws -> [(String, String)] {
        var all: [(String, String)] = []
        for more in [
            #""crit":["exp"],"exp":1"#, #""crit":[]"#, #""crit":null"#, #""crit":["b64"],"b64":false"#, #""b64":false"#,
            #""b64":true"#, #""typ":"JOSE""#, #""typ":"dpop+jwt""#, #""typ":"secevent+jwt""#, #""typ":"""#, #""typ":7"#,
            #""typ":null"#, #""typ":["JWT"]"#, #""alg":"RS256""#, #""kid":"rsa-1""#, #""ki\u0064":"ec-1""#,
            #""cty":1,"cty":2"#,
        ] { all.append(("header with \(more)", try header(#"{"alg":"RS256","kid":"rsa-1",\#(more)}"#))) }
        for json in ["", "null", "[]", "7", #""RS256""#, "{", #"{"alg":"RS256","kid":"rsa-1"}}"#, "{}{}", "\u{FEFF}{}"]
        {
            all.append(("header \(json)", try header(json)))
        }
        let inner = try rsa.token()
        all.append(
            ("a token in a token", try rsa.token(header: #"{"alg":"RS256","kid":"rsa-1","cty":"JWT"}"#, claims: inner)))
        all.append(("a token as text in a token", try rsa.token(claims: "\"\(inner)\"")))
        all.append(("an encrypted token", "\(base64URL(#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#.utf8)).a.b.c.d"))
        return all
    }

    private func encodings() throws -> [(String, String)] {
        let good = parts(try rsa.token())
        let token = good.joined(separator: ".")
        var all: [(String, String)] = []
        // 256 bytes leave four unused bits in the last character, so it can be written in 16 ways.
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = letters.firstIndex(of: good[2].last ?? "A") ?? 0
        all.append(("bits left over", String(token.dropLast()) + String(letters[last + 1])))
        for (name, ending) in [
            ("padding", "=="), ("one sign of padding", "="), ("a letter more", "A"), ("a dot more", "."),
            ("a newline", "%0A"),
            ("a sign of base64", "+"), ("a slash", "/"), ("not ASCII", "é"), ("a full-width letter", "Ａ"),
            ("a comma", ","),
            ("a semicolon", ";"), ("a quote", "\""),
        ] { all.append(("\(name) at the end", token + ending)) }
        all.append(("padding of the header", "\(good[0])=.\(good[1]).\(good[2])"))
        all.append(("a space within", "\(good[0]).\(good[1]). \(good[2])"))
        all.append(("a space before", " " + token))
        all.append(("a tab within", "\(good[0]).\t\(good[1]).\(good[2])"))
        all.append(("in quotes", "\"\(token)\""))
        let header = Array(#"{"alg":"RS256","kid":"rsa-1"}"#.utf8)
        all.append(
            (
                "claims that are not UTF-8",
                try rsa.token(
                    bytes: header, claims().utf8.dropLast() + Array(#","x":""#.utf8) + [0xC0, 0x80] + Array("\"}".utf8))
            ))
        all.append(
            (
                "a subject that is not UTF-8",
                try rsa.token(bytes: header, Array(claims(["sub": "\"ja"]).utf8).map { $0 } + [0xFF])
            ))
        all.append(("UTF-16", try rsa.token(bytes: header, Array(claims().data(using: .utf16LittleEndian) ?? Data()))))
        all.append(("a mark of byte order", try rsa.token(bytes: header, [0xEF, 0xBB, 0xBF] + Array(claims().utf8))))
        for json in [
            "", "null", "[]", "7", #""jane""#, "true", "{", claims() + claims(), claims() + "x", "{}",
            "[\(claims())]", claims().replacing("\"", with: "'"), String(claims().dropLast()) + ",}",
            "/**/" + claims(), String(repeating: "[", count: 2000), String(repeating: #"{"a":"#, count: 1000),
            String(claims().dropLast()) + #","x":"# + String(repeating: "[", count: 2000)
                + String(repeating: "]", count: 2000) + "}",
        ] { all.append(("claims \(json.prefix(8))…\(json.suffix(20))", try rsa.token(claims: json))) }
        all.append(("more than 8 KiB", try rsa.token(["x": "\"\(String(repeating: "x", count: 6100))\""])))
        all.append(("much more than 8 KiB", try rsa.token(["x": "\"\(String(repeating: "x", count: 40_000))\""])))
        for twice in [
            #""sub":"joe""#, #""iss":"https://login.example""#, #""aud":"app""#, #""exp":\#(seconds + 60)"#,
            #""su\u0062":"joe""#, #""\u0073ub":"joe""#, #""x":1,"x":2"#,
        ] {
            all.append(
                ("claims with \(twice) twice", try rsa.token(claims: String(claims().dropLast()) + ",\(twice)}")))
        }
        return all
    }

    private func issuersAndAudiences() throws -> [(String, String)] {
        var all: [(String, String)] = []
        for iss in [
            nil, "null", #""""#, "7", #"["https://login.example"]"#, #""https://login.example/""#,
            #""HTTPS://login.example""#,
            #""https://Login.example""#, #""https://login.example ""#, #""https://login.example\u0000""#,
            #""http://login.example""#, #""https://login.example.evil.example""#, #""https://login.example#""#,
            #""login.example""#, #""https://\#("lo\u{FF47}in").example""#,
        ] as [String?] { all.append(("iss \(iss ?? "missing")", try claim("iss", iss))) }
        for aud in [
            nil, "null", #""""#, "[]", "7", #""App""#, #""app ""#, #""ap""#, #""apps""#, #"["nobody"]"#, #"[["app"]]"#,
            #"{"app":true}"#, #"["app",7]"#, #"["app",null]"#, #""app,nobody""#, #""*""#, #""\u212Apple""#,
        ] as [String?] { all.append(("aud \(aud ?? "missing")", try claim("aud", aud))) }
        return all
    }

    private func times() throws -> [(String, String)] {
        var all: [(String, String)] = []
        for exp in [
            nil, "null", "\(seconds - 3600)", "\(seconds - 61)", "\"\(seconds + 600)\"", "-1", "0", "1e400", "1e300",
            "NaN",
            "Infinity", "true", "[\(seconds + 600)]", "{}", "\(seconds + 25 * 3600)", "\(seconds + 600)000",
            "99999999999999999999",
            "+\(seconds + 600)", "0x7fffffff",
        ] as [String?] { all.append(("exp \(exp ?? "missing")", try claim("exp", exp))) }
        for nbf in ["\(seconds + 3600)", "1e300", "\"\(seconds)\"", "-1", "null", "[]"] {
            all.append(("nbf \(nbf)", try claim("nbf", nbf)))
        }
        for iat in ["\(seconds + 3600)", "1e300", "\"\(seconds)\"", "-1", "null", "{}", "\(seconds - 24 * 3600)"] {
            all.append(("iat \(iat)", try claim("iat", iat)))
        }
        all.append(("no iat", try rsa.token(["iat": nil])))
        return all
    }

    private func subjects() throws -> [(String, String)] {
        try [nil, "null", #""""#, "7", #"["jane"]"#, "true", #""\uD800""#].map { sub in
            ("sub \(sub ?? "missing")", try claim("sub", sub))
        }
    }

    /// Valid tokens of an issuer. Their subject can't be part of an owner id.
    func unusable() throws -> [(name: String, token: String)] {
        try [
            ("NUL", #""ja\u0000ne""#), ("a newline", #""jane\n""#),
            ("too long", "\"\(String(repeating: "x", count: 234))\""),
            ("DEL", #""\u007f""#),
        ].map { ($0.0, try claim("sub", $0.1)) }
    }
}
#endif
