import Foundation
import HandleRules
package import HandleServer

/// Identity tokens without a valid signature, and a verifier that accepts them, for services in tests.
package enum UnsignedToken {
    /// - Parameter serial: distinguishes the tokens of one person.
    package static func make(for subject: String, serial: Int = 0) -> String {
        let claims = Data(#"{"sub":"\#(subject)"}"#.utf8).base64EncodedString()
        let part = claims.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "e30.\(part).\(serial)"
    }

    /// The owner id of the person in the registry.
    package static func owner(_ subject: String) -> String { "https://issuer.example|\(subject)" }

    /// Accepts every well-formed token, or refuses every token for a reason.
    package static func verifier(refusing fault: TokenFault? = nil) -> TokenVerifier {
        TokenVerifier { token, now throws(TokenFault) in
            if let fault { throw fault }
            struct Claims: Decodable { let sub: String }
            let parts = token.split(separator: ".")
            var payload = parts[1].replacing("-", with: "+").replacing("_", with: "/")
            while payload.count % 4 != 0 { payload += "=" }
            guard parts.count == 3, let data = Data(base64Encoded: String(payload)),
                let claims = try? JSONDecoder().decode(Claims.self, from: data),
                let owner = Owner(Self.owner(claims.sub))
            else { throw .malformed }
            return Person(owner: owner, end: now + 3600)
        }
    }
}
