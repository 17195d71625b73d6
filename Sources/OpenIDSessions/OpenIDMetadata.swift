import Foundation
import HTTPLoading
import Sessions

/// The discovery document of an issuer (OpenID Connect Discovery 1.0): the members that are used here.
struct OpenIDMetadata: Decodable, Sendable {
    let issuer: String
    let authorizationEndpoint: URL
    let tokenEndpoint: URL
    let revocationEndpoint: URL?
    let userInfoEndpoint: URL?
    let tokenEndpointAuthMethods: [String]?
    /// Whether every authorization response has `iss` (RFC 9207).
    let alwaysNamesItself: Bool?

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case revocationEndpoint = "revocation_endpoint"
        case userInfoEndpoint = "userinfo_endpoint"
        case tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
        case alwaysNamesItself = "authorization_response_iss_parameter_supported"
    }

    /// Checks that the document belongs to this issuer, and that no endpoint would receive secrets without TLS.
    func checked(for wanted: URL) throws(SessionError) -> OpenIDMetadata {
        guard issuer == wanted.absoluteString else {
            throw .misconfigured(
                "the document of \(wanted.absoluteString) names the issuer \(issuer); configure exactly that")
        }
        for endpoint in [authorizationEndpoint, tokenEndpoint, revocationEndpoint, userInfoEndpoint].compactMap(\.self)
        where !endpoint.isSafeForSecrets {
            throw .misconfigured("the issuer's endpoint \(endpoint.absoluteString) needs https")
        }
        return self
    }
}
