import HTTPLoading

/// The answer of Apple's sheet for signing in. Descriptions, mirrors and `dump` hide it.
public struct AppleCredential: Sendable, Hashable {
    /// The identity token, which names the person and the hash of the nonce.
    public let idToken: String
    /// Exchanged by the app's service for a token of Apple, which it needs to revoke the sign-in when the account is
    /// deleted. Valid once, for five minutes.
    public let authorizationCode: String?
    /// The nonce of the sign-in. The service compares its hash with the one in the identity token.
    public let nonce: String?

    /// Nil for `authorizationCode` and `nonce` if the backend needs neither.
    public init(idToken: String, authorizationCode: String? = nil, nonce: String? = nil) {
        self.idToken = idToken
        self.authorizationCode = authorizationCode
        self.nonce = nonce
    }
}

extension AppleCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "AppleCredential(hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A nonce for one sign-in with Apple: the request carries its hash, and the app's service gets the nonce itself. So a
/// stolen identity token can't be used for another sign-in.
public struct AppleNonce: Sendable, Hashable {
    /// 43 random characters, for the service.
    public let value: String

    /// Makes a new random nonce, for one request.
    public init() { value = Base64URL.secret() }

    /// SHA-256 of the nonce in 64 hexadecimal digits: `request.nonce` of the sheet.
    public var hash: String {
        sha256(Array(value.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// - Parameters:
    ///   - idToken: the sheet's `identityToken`.
    ///   - authorizationCode: the sheet's `authorizationCode`.
    public func credential(idToken: String, authorizationCode: String?) -> AppleCredential {
        AppleCredential(idToken: idToken, authorizationCode: authorizationCode, nonce: value)
    }
}

extension AppleNonce: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "AppleNonce(hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
