import Foundation
import HandleRules
import Sessions
import OpenIDSessions

/// Sign-ins at the issuer: authorization code with PKCE, state and nonce.
///
/// The browser keeps its pending sign-ins, in the ``SignInCookie``. Each is valid for ten minutes and for one callback.
/// Anyone may begin one, so the requests to the issuer are limited.
actor SignIns {
    /// Why a sign-in has failed.
    enum Failure: Error {
        /// The person cancelled the sign-in at the issuer.
        case cancelled
        /// The callback belongs to no sign-in of this browser, or it is not from the issuer.
        case refused(String)
        /// The issuer can't be reached, or too many sign-ins end at once.
        case unreachable(String)
    }

    /// Seconds that a sign-in may take on the issuer's page.
    private static let longest = 600.0
    /// Most callbacks for which the issuer is asked at once. Beyond it, the person has to try again.
    private static let mostAtOnce = 100
    /// How long the issuer's discovery document, or its absence, counts for further sign-ins.
    private static let fresh = Duration.seconds(1)

    private let backend: OpenIDBackend
    /// Makes a backend that has not read the issuer's discovery document yet.
    private let anew: @Sendable () throws -> OpenIDBackend
    private let idTokens: IDTokens
    /// The states of the callbacks for which the issuer is being asked.
    private var ending: Set<String> = []
    private var latest: (issuer: Task<OpenIDBackend, any Error>, at: ContinuousClock.Instant)?

    init(idTokens: IDTokens, backend: @escaping @Sendable () throws -> OpenIDBackend) throws {
        self.idTokens = idTokens
        self.backend = try backend()
        anew = backend
    }

    /// Begins a sign-in. Its request has the address of the issuer's page.
    func begin() async throws -> PendingSignIn {
        do {
            return PendingSignIn(
                request: try await issuer().authorization(), endsAt: Date().addingTimeInterval(Self.longest))
        } catch let error as SessionError {
            throw Failure(error)
        }
    }

    /// Whether the issuer answers.
    func isReady() async -> Bool { (try? await issuer()) != nil }

    /// A backend that has read the discovery document a moment ago, so the browser is not redirected to an issuer that
    /// is down. All callers share the request.
    private func issuer() async throws -> OpenIDBackend {
        if let latest, ContinuousClock.now - latest.at < Self.fresh { return try await latest.issuer.value }
        let task = Task { [anew] in
            let backend = try anew()
            _ = try await backend.authorization()
            return backend
        }
        latest = (task, .now)
        return try await task.value
    }

    /// Ends a sign-in with the address that the browser was sent back to.
    func end(_ request: AuthorizationRequest, at callback: URL) async throws -> (Person, AuthTokens) {
        guard ending.count < Self.mostAtOnce else { throw Failure.unreachable("too many sign-ins end at once") }
        // A browser may send a callback twice. The issuer would take the second use of the code for a theft.
        guard ending.insert(request.state).inserted else { throw Failure.refused("this callback was sent twice") }
        defer { ending.remove(request.state) }
        do {
            let credential = try await backend.credential(from: callback, for: request)
            let tokens = try await backend.tokens(for: credential)
            do {
                return (try await idTokens.person(in: tokens.idToken, nonce: request.nonce), tokens)
            } catch {
                // No session uses these tokens.
                try? await backend.revoke(tokens)
                throw error
            }
        } catch let error as SessionError {
            throw Failure(error)
        }
    }
}

extension SignIns.Failure {
    init(_ error: SessionError) {
        switch error.code {
        case .refused where error.issuerCode == "access_denied": self = .cancelled
        case .unreachable, .answerLost, .cancelled: self = .unreachable("\(error)")
        // A refusal, or the issuer's discovery document or tokens are not valid for this client.
        default: self = .refused(error.issuerCode ?? "\(error)")
        }
    }
}
