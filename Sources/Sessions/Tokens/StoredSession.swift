import Foundation
import HTTPLoading

/// A session as it is stored: JSON with `version` 1.
struct StoredSession: Codable, Equatable {
    private(set) var version = 1
    /// Created at sign-in and kept by refreshes. The same id in the store means refreshed tokens; another id means
    /// another sign-in.
    let id: UUID
    let startedAt: Double
    let isAnonymous: Bool
    let tokens: AuthTokens
    /// The subject of the first id token; nil while there was none. Later id tokens must have the same.
    let subject: String?
    /// When the tokens were received, in seconds since 1970 by the device's clock, which may be wrong.
    let receivedAt: Double

    private enum CodingKeys: String, CodingKey {
        case version, id, tokens, subject
        case startedAt = "started_at"
        case isAnonymous = "is_anonymous"
        case receivedAt = "received_at"
    }

    init(_ facts: Session, tokens: AuthTokens, subject: String? = nil, receivedAt: Date) {
        id = facts.id
        startedAt = facts.startedAt.timeIntervalSince1970
        isAnonymous = facts.isAnonymous
        self.tokens = tokens
        self.subject = subject ?? tokens.idSubject
        self.receivedAt = receivedAt.timeIntervalSince1970
    }

    var facts: Session {
        Session(id: id, startedAt: Date(timeIntervalSince1970: startedAt), isAnonymous: isAnonymous)
    }

    init(reading data: Data) throws(SessionError) {
        let session: StoredSession
        do {
            session = try JSONDecoder().decode(StoredSession.self, from: data)
        } catch {
            // The decoder's own error may quote the content.
            throw SessionError(.storeDamaged, "the stored content is not a session; sign in again to replace it")
        }
        guard session.version == 1 else {
            throw SessionError(.storeDamaged, "the stored session is of a newer version (\(session.version))")
        }
        self = session
    }

    func encoded() throws(SessionError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try encoder.encode(self)
        } catch {
            throw SessionError(.notSaved, "the session can't be written as JSON")
        }
    }

    /// Whether the tokens were received within the limit, by the device's clock.
    func isNew(at now: Date, _ limit: Duration) -> Bool {
        (0..<limit.inSeconds).contains(now.timeIntervalSince1970 - receivedAt)
    }

    /// The remaining lifetime of the access token, by the device's clock; nil if unknown. Never longer than the full
    /// lifetime, even when the clock was set back.
    func remaining(at now: Date) -> Duration? {
        guard let lifetime = tokens.expiresIn else { return nil }
        let age = now.timeIntervalSince1970 - receivedAt
        guard age.isFinite, age > 0 else { return lifetime }
        return age >= lifetime.inSeconds ? .zero : lifetime - .seconds(age)
    }
}
