import Foundation
import HTTPLoading
import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The discovery document of an issuer: one request for all callers, cached until one of its endpoints no longer
/// exists.
actor OpenIDDiscovery {
    private typealias Answer = Result<OpenIDMetadata, SessionError>

    private let issuer: URL
    private let loader: HTTPLoader
    private var known: OpenIDMetadata?
    private var flight: Task<Answer, Never>?

    init(issuer: URL, loader: HTTPLoader) {
        self.issuer = issuer
        self.loader = loader
    }

    func metadata() async throws(SessionError) -> OpenIDMetadata {
        if let known { return known }
        let flight = flight ?? Task { await self.fly() }
        self.flight = flight
        // A cancelled caller returns at once, and the request continues for the others.
        let answer = await firstResult(of: { await flight.value })
        return try (answer ?? .failure(.cancelled)).get()
    }

    /// Called when an endpoint no longer exists: the next caller requests the document again.
    func forget() { known = nil }

    private func fly() async -> Answer {
        let answer = await ask()
        if case .success(let metadata) = answer { known = metadata }
        flight = nil
        return answer
    }

    private func ask() async -> Answer {
        do throws(SessionError) {
            let answer = try await loader.answer(to: URLRequest(url: document))
            // No response here is a definite refusal, so none ends a session.
            guard answer.status == 200 else { throw .unreachable(retryAfter: answer.retryAfter) }
            guard let metadata = try? JSONDecoder().decode(OpenIDMetadata.self, from: answer.body) else {
                throw .unreachable(retryAfter: nil)
            }
            return .success(try metadata.checked(for: issuer))
        } catch {
            return .failure(error.code == .answerLost ? .unreachable(retryAfter: nil) : error)
        }
    }

    private var document: URL {
        issuer.appending(components: ".well-known", "openid-configuration")
    }
}
