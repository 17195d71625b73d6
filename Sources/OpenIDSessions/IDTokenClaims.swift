import Foundation
import HTTPLoading
import Sessions

/// The claims of an id token. Its signature is not checked, because the token came from the issuer itself, over TLS
/// (OpenID Connect Core 1.0, 3.1.3.7). Services that get the token from an app check the signature.
///
/// `exp` is not checked either: the device's clock may be wrong, and the token is new.
struct IDTokenClaims: Decodable {
    let issuer: String
    let audience: [String]
    let authorizedParty: String?
    let nonce: String?

    private enum CodingKeys: String, CodingKey {
        case nonce
        case issuer = "iss"
        case audience = "aud"
        case authorizedParty = "azp"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try values.decode(String.self, forKey: .issuer)
        if let one = try? values.decode(String.self, forKey: .audience) {
            audience = [one]
        } else {
            audience = try values.decode([String].self, forKey: .audience)
        }
        authorizedParty = try values.decodeIfPresent(String.self, forKey: .authorizedParty)
        nonce = try values.decodeIfPresent(String.self, forKey: .nonce)
    }

    init?(reading token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let claims = try? JSONDecoder().decode(IDTokenClaims.self, from: payload)
        else { return nil }
        self = claims
    }

    /// Refuses a token of another issuer, for another client, or for another sign-in.
    func check(issuer: String, clientID: String, nonce: String?) throws(SessionError) {
        guard self.issuer == issuer else {
            throw .misconfigured("the id token names another issuer: \(OAuthErrorCode(self.issuer).text)")
        }
        guard audience.contains(clientID), authorizedParty == clientID || audience.count == 1 else {
            throw .misconfigured("the id token is for another client; check the client's id")
        }
        guard nonce == nil || nonce == self.nonce else { throw .refused(code: "wrong_nonce") }
    }
}
