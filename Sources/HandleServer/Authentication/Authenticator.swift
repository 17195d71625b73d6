import HandleCore
package import HandleRegistry
import Hashing
import Hummingbird
package import Identity
package import Logging

import struct FoundationEssentials.Date

/// What callers may show to say who they are: keys, and identity tokens of known issuers.
///
/// Whatever is shown and not good gets the same answer, byte for byte, whether it is a key or a token and whatever is
/// wrong with it.
package struct Authenticator: Sendable {
    /// The hash of the first key. Hashes of equal length are compared, and in constant time, so that neither the key nor
    /// its length can be learned from how long it takes.
    private let first: SHA256?
    private let ring: KeyRing
    private let tokens: TokenVerifier?
    private let seenTokens = SeenTokens()
    private let logger: Logger

    /// - Parameters:
    ///   - first: the first key, with every scope; nil when there are only those of the ring.
    ///   - ring: the keys that were made since.
    ///   - tokens: checks identity tokens; nil when none are believed.
    ///   - logger: is told at the level `info` why a token was refused, and nothing of what is in it.
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

    /// Who makes the request. One who shows nothing is anyone; what is shown and not good is refused.
    func caller(of request: Request, at now: Date = .now) async throws(Problem) -> Caller {
        guard let text = try Self.credential(of: request) else { return .anyone }
        // The first key may have any form.
        if let tokens, TokenVerifier.isTokenShaped(text), first != Self.hash(text) {
            return .person(try await person(showing: text, to: tokens, at: now))
        }
        return .keyHolder(try holder(showing: text))
    }

    /// Refuses a request that shows nothing, or nothing that is good for calls with this scope.
    @discardableResult
    func require(_ scope: KeyScope, of request: Request) async throws(Problem) -> Caller {
        let caller = try await caller(of: request)
        try caller.check(scope)
        return caller
    }

    /// Whose key the request shows; nil when it shows none that is good.
    func knownHolder(of request: Request) -> KeyHolder? {
        try? Self.credential(of: request).map(holder(showing:))
    }

    /// Whose token the request shows; nil when it shows none that is good. A token that was good is not checked again.
    /// - Parameter mayCheck: is asked before a token is checked, which takes processor time whatever the token is worth.
    func knownPerson(of request: Request, at now: Date = .now, mayCheck: () -> Bool) async -> Person? {
        // What is wrong with a header or a token is told to the caller later.
        guard let tokens, let text = try? Self.credential(of: request), TokenVerifier.isTokenShaped(text) else {
            return nil
        }
        let hash = Self.hash(text).bytes
        if let person = seenTokens.person(hash, at: now) { return person }
        guard mayCheck(), let person = try? await tokens.verify(text, now) else { return nil }
        seenTokens.note(person, hash)
        return person
    }

    /// Whether what the caller showed in the request, a while ago, is still good. Keys may be revoked; a token ends by
    /// itself.
    func isStillGood(_ caller: Caller, _ request: Request, at now: Date = .now) -> Bool {
        switch caller {
        case .anyone: true
        case .keyHolder(let holder):
            (try? Self.credential(of: request).map(self.holder(showing:)))?.may(.read) == holder.may(.read)
        case .person(let person): now < person.end
        }
    }

    /// What stands in the request after `Bearer`; nil when there is no such header at all.
    private static func credential(of request: Request) throws(Problem) -> String? {
        let headers = request.headers[values: .authorization]
        guard let header = headers.first else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard headers.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else { throw .wrongKey }
        return String(parts[1])
    }

    /// Whose key a text is.
    private func holder(showing text: String) throws(Problem) -> KeyHolder {
        if first == Self.hash(text) { return .admin }
        switch ring.answer(to: text) {
        case .known(let holder): return holder
        case .unknown: throw .wrongKey
        case .notLoaded: throw .databaseUnavailable
        }
    }

    /// The person of a token, or the problem that its refusal is to the caller.
    private func person(
        showing text: String, to tokens: TokenVerifier, at now: Date
    ) async throws(Problem) -> Person {
        do throws(TokenFault) {
            return try await tokens.verify(text, now)
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
