import HandleServer
import Logging

/// Checks of identity tokens; empty when no issuers are configured.
struct TokenChecks: Sendable {
    var verifier: TokenVerifier?
    /// Functions that read an issuer's public keys again. After a failure the old keys stay valid.
    var keyReaders: [(issuer: String, read: @Sendable (Logger) async throws -> Void)] = []
    /// Interval at which the keys are read.
    var interval = Duration.zero

    /// The checks for the issuers in `HANDLES_TOKEN_ISSUERS`.
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
        // Without the trait, ``Settings`` refuses the setting.
        return TokenChecks()
        #endif
    }
}
