import HandleRegistry
import HandleServer
import TestService
import TestSupport

let testKey = "test-key-0123456789"

/// Runs `body` with a service that listens on its own port. Every answer is checked against the contract.
func withServer(
    _ registry: Registry? = nil, keys: KeyStore? = nil, typingPause: Duration = .milliseconds(300),
    streamLife: Duration = .seconds(900),
    typingClock: some Clock<Duration> = ContinuousClock(), tokens: TokenVerifier? = nil, drain: Drain = Drain(),
    configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (_ client: HTTPClient, _ anonymous: HTTPClient) async throws -> Void
) async throws {
    let served: Registry
    if let registry { served = registry } else { served = try await freshRegistry() }
    try await withApplication(
        served, authenticator: Authenticator(first: testKey, ring: keys?.ring ?? KeyRing(), tokens: tokens),
        drain: drain,
        typingClock: typingClock,
        configure: { configuration in
            configuration.typingPause = typingPause
            configuration.streamLife = streamLife
            configure(&configuration)
        }
    ) { port in
        try await HTTPClient.$observer.withValue(Contract.inspect) {
            try await body(HTTPClient(port: port, key: testKey), HTTPClient(port: port))
        }
    }
}
