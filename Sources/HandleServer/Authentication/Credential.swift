import HandleRegistry
import Hummingbird

import struct FoundationEssentials.Date

/// The credential of a request. It is parsed, and a key is looked up, once, when the head of the request has arrived.
///
/// A key that is revoked while the rest of the request arrives is still valid for that request. The request timeout
/// limits how long that can be.
enum Credential: Sendable {
    /// The request has no header `Authorization`.
    case none
    case key(KeyHolder, Presented)
    /// A key that may have been revoked since the keys were last read. It is good for the metrics only.
    case unconfirmed(KeyHolder)
    /// An identity token. It is verified when the call needs its caller, or for the quota.
    case token(Presented)
    /// The person of an identity token that has been verified for this request.
    case person(Person)
    /// An invalid credential, with the response to every call that depends on the caller.
    case refused(Problem)

    /// The text after `Bearer`, and its authenticator.
    struct Presented: Sendable {
        let text: String
        let authenticator: Authenticator
    }

    /// The holder of a valid key.
    var keyHolder: KeyHolder? { if case .key(let holder, _) = self { holder } else { nil } }

    /// The holder of a key that is good for the metrics, which are needed most while the database is away.
    var metricsKeyHolder: KeyHolder? {
        let holder = if case .unconfirmed(let holder) = self { holder } else { keyHolder }
        return holder.flatMap { $0.may(.metrics) ? $0 : nil }
    }

    /// The caller, if no token must be verified and the credential is not refused.
    var knownCaller: Caller? {
        switch self {
        case .none: .anyone
        case .key(let holder, _): .keyHolder(holder)
        case .person(let person): .person(person)
        case .token, .unconfirmed, .refused: nil
        }
    }

    /// The caller. Verifies a token, unless the quota has done so already.
    /// - Throws: ``Problem`` 401 for an invalid key or token, 400 for a token without a valid owner id, 503 while keys
    ///   can't be read.
    func caller(at now: Date = .now) async throws(Problem) -> Caller {
        switch self {
        case .none: .anyone
        case .key(let holder, _): .keyHolder(holder)
        case .unconfirmed: throw .databaseUnavailable
        case .token(let token): .person(try await token.authenticator.verify(token.text, at: now))
        case .person(let person): .person(person)
        case .refused(let problem): throw problem
        }
    }

    /// The person for the quota of the request; nil without a valid token. A token seen in an earlier request is not
    /// verified again for that. Otherwise the token is verified, and this value keeps the result.
    /// - Parameter mayVerify: admits the cost of verifying a token, which takes processor time whether the token is
    ///   valid or not.
    mutating func quotaPerson(at now: Date = .now, mayVerify: () -> Bool) async -> Person? {
        guard case .token(let token) = self else { return nil }
        if let person = token.authenticator.seenPerson(token.text, at: now) { return person }
        guard mayVerify() else { return nil }
        do throws(Problem) {
            let person = try await token.authenticator.verify(token.text, at: now)
            self = .person(person)
            return person
        } catch {
            self = .refused(error)
            return nil
        }
    }

    /// Whether a stream that `caller` opened with this credential may continue. Keys can be revoked, and tokens expire.
    /// - Parameter scope: the scope on which the events depend.
    func isStillValid(for caller: Caller, with scope: KeyScope = .read, at now: Date = .now) -> Bool {
        switch (caller, self) {
        case (.anyone, _): true
        case (.person(let person), _): now < person.end
        case (.keyHolder(let holder), .key(_, let key)):
            key.authenticator.keyHolder(of: key.text)?.may(scope) == holder.may(scope)
        case (.keyHolder, _): false
        }
    }
}
