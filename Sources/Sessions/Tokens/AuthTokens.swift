import HTTPLoading

/// The tokens of one person's session, as a token endpoint answers them (RFC 6749, 5.1).
///
/// Coded as that answer is: `access_token`, `refresh_token`, `id_token`, `expires_in` in seconds. No description,
/// mirror or `dump` shows a token.
public struct AuthTokens: Sendable, Hashable {
    /// Sent with requests as `Authorization: Bearer`.
    public var accessToken: String
    /// Exchanged for new tokens; often for one use. Without it a session ends with its access token.
    public var refreshToken: String?
    /// Identifies the person (OpenID Connect). A refresh may bring none, and an old one is not kept.
    public var idToken: String?
    /// How long the access token is good for, counted from when it was received; nil when the issuer did not say.
    public var expiresIn: Duration?

    public init(
        accessToken: String, refreshToken: String? = nil, idToken: String? = nil, expiresIn: Duration? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.expiresIn = expiresIn
    }

    /// The id token, or the access token where there is none: for a service that takes identity tokens, as the registry does.
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
    /// A lifetime of some seconds. Nil for one that means nothing: not above zero, not a number, or above 100 years.
    init?(lifetime seconds: Double) {
        guard seconds > 0, seconds <= 3_155_760_000 else { return nil }
        self = .seconds(seconds)
    }

    /// Rounded up to whole seconds, for error texts.
    var wholeSeconds: Int { Int(inSeconds.rounded(.up)) }
}
