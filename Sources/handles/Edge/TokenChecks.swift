import Identity
import Logging

/// How the service checks identity tokens. Empty when no issuers are configured.
struct TokenChecks: Sendable {
    var verifier: TokenVerifier?
    /// Reads the public keys of each issuer anew, one function an issuer. What fails is logged, and the keys stay.
    var keyReaders: [@Sendable (Logger) async -> Void] = []
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
            keyReaders: issuers.map { issuer in { logger in await issuer.readKeys(logger) } },
            interval: IssuerKeys.refreshInterval)
        #else
        // Without the trait the setting itself is refused.
        return TokenChecks()
        #endif
    }
}
