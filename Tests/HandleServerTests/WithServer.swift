import HandleRegistry
import HandleServer
import Identity
import Logging
import Postgres
import ServiceLifecycle
import TestSupport

let testKey = "test-key-0123456789"

/// Runs `body` with a service that listens on a port of its own. Every answer is held against the contract.
func withServer(
    _ registry: Registry? = nil, typingPause: Duration = .milliseconds(300), streamLife: Duration = .seconds(900),
    typingClock: some Clock<Duration> = ContinuousClock(), tokens: TokenVerifier? = nil, gate: Gate = Gate(),
    configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (_ client: HTTPClient, _ anonymous: HTTPClient) async throws -> Void
) async throws {
    let served: Registry
    if let registry { served = registry } else { served = try await freshRegistry() }
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.typingPause = typingPause
    configuration.streamLife = streamLife
    // Tests of other things ask more than strangers may.
    configuration.limits.anonymous = nil
    configuration.limits.person = nil
    // Nobody is slow who only waits for a busy machine.
    configuration.limits.requestTime = .seconds(60)
    configure(&configuration)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = try buildApplication(
        registry: served, authenticator: Authenticator(first: testKey, ring: served.keys, tokens: tokens),
        configuration: configuration,
        logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), gate: gate,
        typingClock: typingClock
    ) { continuation.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await application.run() }
        group.addTask {
            for await port in ports {
                return try await HTTPClient.$observer.withValue(Contract.inspect) {
                    try await body(HTTPClient(port: port, key: testKey), HTTPClient(port: port))
                }
            }
        }
        try await group.next()
        group.cancelAll()
        // The service ends by being cancelled, which is no fault.
        while await group.nextResult() != nil {}
    }
}
