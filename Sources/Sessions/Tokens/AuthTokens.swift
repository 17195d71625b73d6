import HTTPLoading

/// The tokens of one person's session, as a token endpoint returns them (RFC 6749, 5.1).
///
/// The JSON is that of the endpoint: `access_token`, `refresh_token`, `id_token`, `expires_in` in seconds.
/// Descriptions, mirrors and `dump` hide the tokens.
public struct AuthTokens: Sendable, Hashable {
    /// Sent with requests as `Authorization: Bearer`.
    public var accessToken: String
    /// Exchanged for new tokens, often only once. Without it a session ends with its access token.
    public var refreshToken: String?
    /// Identifies the person (OpenID Connect). A refresh may return none, and then the old one is dropped.
    public var idToken: String?
    /// The lifetime of the access token, counted from when it was received; nil when the issuer gave none.
    public var expiresIn: Duration?

    /// Nil for each token or lifetime that the issuer did not return.
    public init(
        accessToken: String, refreshToken: String? = nil, idToken: String? = nil, expiresIn: Duration? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.expiresIn = expiresIn
    }

    /// The id token, or the access token if there is none: for a service that takes identity tokens, as the registry
    /// does.
    public var identityToken: String { idToken ?? accessToken }
}

extension AuthTokens: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case expiresIn = "expires_in"
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try values.decode(String.self, forKey: .accessToken)
        refreshToken = try values.decodeIfPresent(String.self, forKey: .refreshToken)
        idToken = try values.decodeIfPresent(String.self, forKey: .idToken)
        // Some issuers send the number as a string.
        let seconds =
            if let text = try? values.decodeIfPresent(String.self, forKey: .expiresIn) {
                Double(text)
            } else {
                try values.decodeIfPresent(Double.self, forKey: .expiresIn)
            }
        expiresIn = seconds.flatMap(Duration.init(lifetime:))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(accessToken, forKey: .accessToken)
        try values.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try values.encodeIfPresent(idToken, forKey: .idToken)
        try values.encodeIfPresent(expiresIn?.inSeconds, forKey: .expiresIn)
    }
}

extension AuthTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let parts = ["access token", refreshToken.map { _ in "refresh token" }, idToken.map { _ in "id token" }]
        return "AuthTokens(\(parts.compactMap(\.self).joined(separator: ", ")), hidden)"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Duration {
    /// A lifetime in seconds. Nil for a meaningless one: not above zero, not a number, or above 100 years.
    init?(lifetime seconds: Double) {
        guard seconds > 0, seconds <= 3_155_760_000 else { return nil }
        self = .seconds(seconds)
    }
}
