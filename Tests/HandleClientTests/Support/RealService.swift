import Foundation
import HandleClient
import TestService
import TestSupport
import Testing

/// Runs `body` with clients of the real program: one with its first key, one without a credential. The feed is on.
func withService(
    _ body: (_ client: RegistryClient, _ anyone: RegistryClient, _ base: URL) async throws -> Void
) async throws {
    let service = try await Service(
        in: TemporaryFolder.make("client"),
        [
            "HANDLES_TYPING_PAUSE": "0s", "HANDLES_PER_OWNER": "3", "HANDLES_ANONYMOUS_LIMIT": "none",
            "HANDLES_FEED": "1d",
        ])
    let base = try #require(URL(string: "http://127.0.0.1:\(service.client.port)"))
    let key = try #require(service.client.key)
    let client = RegistryClient(
        base: base, credential: .key(key), transport: URLSessionTransport.patient, limits: .patient)
    do {
        try await eventually("the feed is on") { await client.hasFeed }
        try await body(
            client, RegistryClient(base: base, transport: URLSessionTransport.patient, limits: .patient), base)
    } catch {
        await service.end(SIGKILL)
        throw error
    }
    #expect(await service.end(SIGTERM) == 0)
}

extension RegistryClient {
    /// Whether the service has turned the feed on, which it does soon after it has started.
    fileprivate var hasFeed: Bool {
        get async {
            do throws(HandleClientError) {
                _ = try await events(after: 0, limit: 1)
                return true
            } catch {
                return error.problem?.code != .feedOff
            }
        }
    }
}
