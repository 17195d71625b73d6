import HandleServer
import Logging

/// Checks of identity tokens; empty when no issuers are configured.
struct TokenChecks: Sendable {
    var verifier: TokenVerifier?
    /// Read the public keys of the issuers again. After a failure the old keys stay valid.
    var keyReaders: [PeriodicService] = []

    /// The checks for the issuers in `HANDLES_TOKEN_ISSUERS`.
    /// - Throws: ``CommandFault`` with exit status 64 that says what is wrong in the file.
    static func configured(by settings: Settings, _ logger: Logger) async throws -> TokenChecks {
        #if IdentityTokens
        guard let path = settings.tokenIssuers else { return TokenChecks() }
        let issuers = try await Settings.issuers(in: path)
        return TokenChecks(verifier: TokenVerifier(issuers), keyReaders: issuers.map { keyReader($0, logger) })
        #else
        // Without the trait, ``Settings`` refuses the setting.
        return TokenChecks()
        #endif
    }

    #if IdentityTokens
    /// One service for each issuer, so that no issuer delays another or the service. Keys that can't be read now are
    /// read when a token arrives.
    private static func keyReader(_ issuer: TokenIssuer, _ logger: Logger) -> PeriodicService {
        var logger = logger
        logger[metadataKey: "issuer"] = "\(issuer.name)"
        return PeriodicService(
            interval: IssuerKeys.refreshInterval, failure: "the keys of an issuer can't be read", alarm: 1,
            logger: logger, beginsAtOnce: true
        ) { [logger] in
            try await issuer.keys.refresh()
            if issuer.keys.count == 0 { logger.warning("an issuer has no key that checks signatures") }
        }
    }
    #endif
}
