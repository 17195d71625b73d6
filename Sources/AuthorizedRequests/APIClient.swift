public import Foundation
import HTTPLoading
public import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls the app's own service with the access token of the signed-in person.
///
/// A token that ends soon is refreshed first. After a 401 the token is refreshed once, with one request for all callers,
/// and the call is sent once more. Nothing else is repeated. Redirects are not followed, so no token goes to another host.
public struct APIClient: Sendable {
    private let base: URL
    private let session: SessionController
    private let loader: HTTPLoader

    /// - Parameters:
    ///   - base: the address of the service. http is allowed for this machine only.
    ///   - session: the person's session, such as `auth.controller`.
    ///   - timeout: for a response to begin, and between two parts of it.
    /// - Throws: `.misconfigured`.
    public init(base: URL, session: SessionController, timeout: Duration = .seconds(30)) throws(APIError) {
        guard base.isSafeForSecrets else {
            throw APIError(
                .misconfigured, "\(base.absoluteString) needs https; http is allowed for this machine only")
        }
        self.base = base
        self.session = session
        loader = HTTPLoader(timeout: timeout, longest: 64 << 20)
    }

    /// Sends a call. The response is decoded on the actor of the caller, because a type of an app may be decodable on the
    /// main actor only.
    public nonisolated(nonsending) func execute<Endpoint: APIEndpoint>(
        _ endpoint: Endpoint
    ) async throws(APIError) -> Endpoint.Response {
        var request = URLRequest(url: address(of: endpoint))
        request.httpMethod = endpoint.method
        request.httpBody = endpoint.body
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if endpoint.body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        let answer = endpoint.requiresAuth ? try await authorized(request) : try await load(request)
        guard (200..<300).contains(answer.status) else { throw APIError(answer) }
        if let nothing = NoContent() as? Endpoint.Response { return nothing }
        do {
            return try JSONDecoder().decode(Endpoint.Response.self, from: answer.body)
        } catch {
            throw APIError(.unreadable, "the response is no \(Endpoint.Response.self)", answer)
        }
    }

    private func address(of endpoint: some APIEndpoint) -> URL {
        let url = base.appending(path: endpoint.path)
        return endpoint.query.isEmpty ? url : url.appending(queryItems: endpoint.query)
    }

    private func authorized(_ request: URLRequest) async throws(APIError) -> HTTPAnswer {
        let token = try await token(rejected: nil)
        let answer = try await load(request, token)
        guard answer.status == 401 else { return answer }
        let second = try await load(request, self.token(rejected: token))
        if second.status == 401 { throw APIError(.newTokenRejected, "the service refuses a token that is new", second) }
        return second
    }

    private func token(rejected: String?) async throws(APIError) -> String {
        do throws(SessionError) {
            return try await session.token(rejected: rejected)
        } catch {
            throw APIError(error)
        }
    }

    private func load(_ request: URLRequest, _ token: String? = nil) async throws(APIError) -> HTTPAnswer {
        var request = request
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        do throws(LoadError) {
            return try await loader.load(request)
        } catch {
            switch error {
            case .unsent: throw APIError(.unreachable, "there is no connection")
            case .lost: throw APIError(.answerLost, "no complete response arrived")
            case .cancelled: throw APIError(.cancelled, "cancelled")
            }
        }
    }
}
