import Foundation
import HTTPLoading

extension AuthTokens {
    /// The subject of the identity token, which is the issuer's id of the person. Nil when the token is not a JWT, such
    /// as an opaque access token.
    public var subject: String? { Self.subject(of: identityToken) }

    /// The subject of the id token alone; nil without one.
    var idSubject: String? { idToken.flatMap(Self.subject) }

    private static func subject(of token: String) -> String? {
        struct Claims: Decodable { let sub: String }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        return try? JSONDecoder().decode(Claims.self, from: payload).sub
    }
}
