import Identity
import Logging

/// How the service checks identity tokens. Empty when no issuers are configured.
struct TokenChecks: Sendable {
    var verifier: TokenVerifier?
    /// Reads the public keys of an issuer anew. When that fails, the keys stay.
    var keyReaders: [(issuer: String, read: @Sendable (Logger) async throws -> Void)] = []
    /// How often the keys are read.
    var interval = Duration.zero

    /// The checks that `HANDLES_TOKEN_ISSUERS` asks for.
    /// - Throws: ``CommandFault`` with exit status 64 that says what is wrong in the file.
    static func configured(by settings: Settings) async throws -> TokenChecks {
        #if IdentityTokens
        guard let path = settings.tokenIssuers else { return TokenChecks() }
        let issuers = try await Settings.issuers(in: path)
        return TokenChecks(
            verifier: TokenVerifier(issuers),
            keyReaders: issuers.map { issuer in (issuer.name, { try await issuer.readKeys($0) }) },
            interval: IssuerKeys.refreshInterval)
        #else
        // Without the trait the setting itself is refused.
        return TokenChecks()
        #endif
    }
}
