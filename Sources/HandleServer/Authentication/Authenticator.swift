import HandleCore
package import HandleRegistry
import Hashing
import Hummingbird
package import Identity
package import Logging

import struct FoundationEssentials.Date

/// Checks credentials: access keys, and identity tokens of known issuers.
///
/// Every invalid credential, key or token, gets the same 401 response, byte for byte.
package struct Authenticator: Sendable {
    /// The hash of the first key. Hashes of equal length are compared in constant time, so that neither the key nor its
    /// length can be learned from the duration.
    private let first: SHA256?
    private let ring: KeyRing
    private let tokens: TokenVerifier?
    private let seenTokens = SeenTokens()
    private let logger: Logger

    /// - Parameters:
    ///   - first: the first key, with every scope; nil when there are only those of the ring.
    ///   - ring: the keys of the database.
    ///   - tokens: verifies identity tokens; nil when no issuer is trusted.
    ///   - logger: logs at the level `info` why a token was refused, without the token's content.
    package init(
        first: String?, ring: KeyRing, tokens: TokenVerifier? = nil,
        logger: Logger = Logger(label: "tokens", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.first = first.map(Self.hash)
        self.ring = ring
        self.tokens = tokens
        self.logger = logger
    }

    private static func hash(_ text: String) -> SHA256 { SHA256(Array(text.utf8)) }

    /// Parses the header `Authorization`, and looks a key up. A token is not verified yet.
    func credential(of request: Request) -> Credential {
        let headers = request.headers[values: .authorization]
        guard let header = headers.first else { return .none }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard headers.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            return .refused(.wrongKey)
        }
        let presented = Credential.Presented(text: String(parts[1]), authenticator: self)
        // The first key may have any form, that of a token too.
        if tokens != nil, TokenVerifier.isTokenShaped(presented.text), first != Self.hash(presented.text) {
            return .token(presented)
        }
        do throws(Problem) {
            return .key(try keyHolder(of: presented.text), presented)
        } catch {
            return .refused(error)
        }
    }

    /// The holder of a key.
    func keyHolder(of text: String) throws(Problem) -> KeyHolder {
        if first == Self.hash(text) { return .admin }
        switch ring.answer(to: text) {
        case .known(let holder): return holder
        case .unknown: throw .wrongKey
        case .notLoaded: throw .databaseUnavailable
        }
    }

    /// The person of a token that has been verified before and has not expired. This gives no rights: it only says which
    /// quota a request counts against.
    func seenPerson(_ token: String, at now: Date) -> Person? {
        seenTokens.person(Self.hash(token).bytes, at: now)
    }

    /// Verifies a token.
    func verify(_ token: String, at now: Date) async throws(Problem) -> Person {
        guard let tokens else { throw .wrongKey }
        do throws(TokenFault) {
            let person = try await tokens.verify(token, now)
            seenTokens.note(person, Self.hash(token).bytes)
            return person
        } catch {
            logger.info("an identity token was refused", metadata: ["because": "\(error.rawValue)"])
            switch error {
            case .keysNotLoaded: throw .keysUnavailable
            case .unusableSubject: throw .unusableSubject
            default: throw .wrongKey
            }
        }
    }
}
