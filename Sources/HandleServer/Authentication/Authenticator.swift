package import HandleRegistry
import HandleRules
import Hummingbird
package import Logging

import struct FoundationEssentials.Date

/// Checks credentials: access keys, and identity tokens of known issuers.
///
/// Every invalid credential, key or token, gets the same 401 response, byte for byte. Two cases differ, because a new
/// credential does not help: no tokens are accepted at all, or none of this issuer.
package struct Authenticator: Sendable {
    /// The hash of the first key. Hashes of equal length are compared in constant time, so the duration reveals neither
    /// the key nor its length.
    private let first: SHA256?
    let ring: KeyRing
    private let tokens: TokenVerifier?
    private let seenTokens = SeenTokens()
    private let logger: Logger

    /// - Parameters:
    ///   - first: the first key, with every scope; nil if only the ring has keys.
    ///   - ring: the keys of the database.
    ///   - tokens: verifies identity tokens; nil when no issuer is trusted.
    ///   - logger: logs the reason for a refused token at level `info`, without the token's content.
    package init(
        first: String?, ring: KeyRing, tokens: TokenVerifier? = nil,
        logger: Logger = Logger(label: "tokens", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.first = first.map(Self.hash)
        self.ring = ring
        self.tokens = tokens
        self.logger = logger
    }

    /// Whether identity tokens of any issuer are accepted.
    var acceptsTokens: Bool { tokens != nil }

    private static func hash(_ text: String) -> SHA256 { SHA256(Array(text.utf8)) }

    /// Parses the header `Authorization` and looks up a key. A token is not verified yet.
    func credential(of request: Request) -> Credential {
        let headers = request.headers[values: .authorization]
        guard let header = headers.first else { return .none }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard headers.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            return .refused(.wrongKey)
        }
        let presented = Credential.Presented(text: String(parts[1]), authenticator: self)
        // The first key may have any form, even that of a token.
        if tokens != nil, TokenVerifier.isTokenShaped(presented.text), first != Self.hash(presented.text) {
            return .token(presented)
        }
        if first == Self.hash(presented.text) { return .key(.admin, presented) }
        return switch ring.answer(to: presented.text) {
        case .known(let holder): .key(holder, presented)
        case .unconfirmed(let holder): .unconfirmed(holder)
        // With a verifier, a text in the form of a token is not looked up as a key.
        case .unknown: .refused(TokenVerifier.isTokenShaped(presented.text) ? .tokensNotAccepted : .wrongKey)
        case .notLoaded: .refused(.databaseUnavailable)
        }
    }

    /// The holder of a key in force; nil for an unknown key, and while the keys are not known.
    func keyHolder(of text: String) -> KeyHolder? {
        if first == Self.hash(text) { return .admin }
        return if case .known(let holder) = ring.answer(to: text) { holder } else { nil }
    }

    /// The person of an unexpired token that was verified before. It only selects the quota and gives no rights.
    func seenPerson(_ token: String, at now: Date) -> Person? {
        seenTokens.person(Self.hash(token).bytes, at: now)
    }

    /// Verifies a token.
    /// - Throws: ``Problem`` 401 for an invalid token, 400 if its subject makes no valid owner id, 503 while the
    ///   issuer's keys can't be read.
    func verify(_ token: String, at now: Date) async throws(Problem) -> Person {
        guard let tokens else { throw .tokensNotAccepted }
        do throws(TokenFault) {
            let person = try await tokens.verify(token, now)
            seenTokens.note(person, Self.hash(token).bytes)
            return person
        } catch {
            logger.info("an identity token was refused", metadata: ["because": "\(error.rawValue)"])
            switch error {
            case .keysNotLoaded: throw .keysUnavailable
            case .unusableSubject: throw .unusableSubject
            case .unknownIssuer: throw .unknownIssuer
            default: throw .wrongKey
            }
        }
    }
}
