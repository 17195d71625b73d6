import NIOConcurrencyHelpers
import Sessions

/// An issuer without grace. The test decides when refreshes are answered, and how. Tokens are `ID:VERSION`.
final class ScriptedIssuer: Sendable {
    /// The answer to a refresh.
    enum Outcome: CaseIterable {
        case fulfilled, unreachable, refused
        /// The issuer acts on it, and the answer is lost.
        case lost
    }

    private struct State {
        var lastSignIn = 0
        /// The version that can be refreshed, by session.
        var versions: [Int: Int] = [:]
    }

    private let state = NIOLockedValueBox(State())

    func signIn() -> AuthTokens {
        state.withLockedValue { state in
            state.lastSignIn += 1
            state.versions[state.lastSignIn] = 0
            return Token(id: state.lastSignIn, version: 0).tokens
        }
    }

    func isAlive(_ id: Int) -> Bool { state.withLockedValue { $0.versions[id] != nil } }

    /// Whether this is the version that can be refreshed.
    func isGood(_ token: Token) -> Bool { state.withLockedValue { $0.versions[token.id] == token.version } }

    func end(_ id: Int) { state.withLockedValue { $0.versions[id] = nil } }

    /// Exchanges a token. A token that was exchanged before ends its session.
    func exchange(_ token: Token) -> Token? {
        state.withLockedValue { state in
            guard let good = state.versions[token.id] else { return nil }
            guard good == token.version else {
                state.versions[token.id] = nil
                return nil
            }
            state.versions[token.id] = good + 1
            return Token(id: token.id, version: good + 1)
        }
    }
}

struct Token: Hashable {
    let id: Int
    let version: Int

    var text: String { "\(id):\(version)" }
    var tokens: AuthTokens { AuthTokens(accessToken: text, refreshToken: text, expiresIn: .seconds(3600)) }
}

extension Token {
    init?(_ text: String) {
        let parts = text.split(separator: ":").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        self.init(id: parts[0], version: parts[1])
    }
}

/// The connection of one program to the issuer.
actor ScriptedBackend: AuthBackend {
    enum Event: Sendable {
        /// A refresh waits for its outcome.
        case arrived(Int, Token)
        /// A request was cancelled.
        case cancelled(Int)
        case revoked(Token)
    }

    private let issuer: ScriptedIssuer
    private let tell: @Sendable (Event) -> Void
    private var waiting: [Int: CheckedContinuation<ScriptedIssuer.Outcome?, Never>] = [:]
    private var lastRequest = 0
    private var isDead = false

    init(_ issuer: ScriptedIssuer, tell: @escaping @Sendable (Event) -> Void) {
        self.issuer = issuer
        self.tell = tell
    }

    func release(_ request: Int, _ outcome: ScriptedIssuer.Outcome) {
        waiting.removeValue(forKey: request)?.resume(returning: outcome)
    }

    /// The program was killed: it sends no more requests.
    func kill() { isDead = true }

    func refresh(_ refreshToken: String) async throws(SessionError) -> AuthTokens {
        guard let token = Token(refreshToken) else { throw .refused(code: "invalid_grant") }
        guard !isDead else { throw .unreachable(retryAfter: nil) }
        lastRequest += 1
        let request = lastRequest
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting[request] = continuation
                tell(.arrived(request, token))
            }
        } onCancel: {
            Task { await self.cancel(request) }
        }
        switch outcome {
        case nil: throw .cancelled
        case .unreachable: throw .unreachable(retryAfter: nil)
        case .refused:
            issuer.end(token.id)
            throw .refused(code: "invalid_grant")
        case .lost:
            guard issuer.exchange(token) != nil else { throw .refused(code: "invalid_grant") }
            throw .answerLost
        case .fulfilled:
            guard let next = issuer.exchange(token) else { throw .refused(code: "invalid_grant") }
            return next.tokens
        }
    }

    private func cancel(_ request: Int) {
        guard let continuation = waiting.removeValue(forKey: request) else { return }
        continuation.resume(returning: nil)
        tell(.cancelled(request))
    }

    func revoke(_ tokens: AuthTokens) async throws(SessionError) {
        guard let token = Token(tokens.accessToken), !isDead else { throw .unsupported }
        issuer.end(token.id)
        tell(.revoked(token))
    }

    func tokens(for credential: Credential) async throws(SessionError) -> AuthTokens { issuer.signIn() }
    func resetPassword(email: String) async throws(SessionError) { throw .unsupported }
    func deleteAccount(_ tokens: AuthTokens) async throws(SessionError) { throw .unsupported }
}
