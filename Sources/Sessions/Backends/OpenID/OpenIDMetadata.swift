import Foundation

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
    func checked(for wanted: URL) throws(AuthError) -> OpenIDMetadata {
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

extension URL {
    /// Whether secrets may be sent to this address: over TLS, or within the machine.
    var isSafeForSecrets: Bool {
        guard let host = host(percentEncoded: false)?.lowercased(), !host.isEmpty else { return false }
        switch scheme?.lowercased() {
        case "https": return true
        case "http": return host == "localhost" || host == "[::1]" || host == "::1" || Self.isLoopback(host)
        default: return false
        }
    }

    /// 127.0.0.0/8.
    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
