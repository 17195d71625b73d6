import Foundation
import HandleCore
import Sessions

/// The pending sign-ins: authorization code with PKCE, state and nonce.
///
/// They stay in memory for ten minutes. Each is valid for one browser and one callback. A restart drops them, and the
/// person has to sign in again.
actor SignIns {
    /// Why a sign-in has failed.
    enum Failure: Error {
        /// The person cancelled the sign-in at the issuer.
        case cancelled
        /// The callback belongs to no sign-in of this browser, or it is not from the issuer.
        case refused(String)
        /// The issuer can't be reached.
        case unreachable(String)
    }

    private struct Key: Hashable {
        let browser: String
        let state: String
    }

    private struct Begun {
        let request: AuthorizationRequest
        let at: ContinuousClock.Instant
    }

    /// How long a sign-in may take on the issuer's page.
    private static let longest = Duration.seconds(600)
    /// Most pending sign-ins. It bounds the memory, because a sign-in can be begun without an account.
    private static let most = 10_000

    private let backend: OpenIDBackend
    /// Makes a backend that has not read the issuer's discovery document yet.
    private let anew: @Sendable () throws -> OpenIDBackend
    private let idTokens: IDTokens
    private var begun: [Key: Begun] = [:]

    init(idTokens: IDTokens, backend: @escaping @Sendable () throws -> OpenIDBackend) throws {
        self.idTokens = idTokens
        self.backend = try backend()
        anew = backend
    }

    /// Begins a sign-in for the browser with this cookie.
    /// - Returns: the address of the issuer's page.
    func begin(in browser: SessionID) async throws -> URL {
        let request: AuthorizationRequest
        do {
            // A new backend reads the discovery document, so the browser is not redirected to an issuer that is down.
            request = try await anew().authorization()
        } catch let error as AuthError {
            throw Failure(error)
        }
        forgetOld()
        begun[Key(browser: browser.hash, state: request.state)] = Begun(request: request, at: .now)
        return request.url
    }

    /// Whether the issuer answers.
    func isReady() async -> Bool { (try? await anew().authorization()) != nil }

    /// Ends a sign-in with the address that the browser was sent back to.
    func end(in browser: SessionID, state: String, at callback: URL) async throws -> (Person, AuthTokens) {
        forgetOld()
        // A sign-in accepts one callback.
        guard let sign = begun.removeValue(forKey: Key(browser: browser.hash, state: state)) else {
            throw Failure.refused("wrong_state")
        }
        do {
            let credential = try await backend.credential(from: callback, for: sign.request)
            let tokens = try await backend.tokens(for: credential)
            do {
                return (try await idTokens.person(in: tokens.idToken, nonce: sign.request.nonce), tokens)
            } catch {
                // No session uses these tokens.
                try? await backend.revoke(tokens)
                throw error
            }
        } catch let error as AuthError {
            throw Failure(error)
        }
    }

    private func forgetOld() {
        let now = ContinuousClock.now
        begun = begun.filter { now - $0.value.at < Self.longest }
        while begun.count >= Self.most, let oldest = begun.min(by: { $0.value.at < $1.value.at }) {
            begun[oldest.key] = nil
        }
    }
}

extension SignIns.Failure {
    init(_ error: AuthError) {
        switch error {
        case .refused(code: "access_denied"): self = .cancelled
        case .refused(let code): self = .refused(code)
        case .unreachable, .answerLost, .cancelled: self = .unreachable("\(error)")
        // The issuer's discovery document or tokens are not valid for this client.
        case .misconfigured(let problem): self = .refused(problem)
        case .unsupported: self = .refused("\(error)")
        }
    }
}
