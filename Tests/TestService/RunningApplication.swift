package import HandleRegistry
package import HandleServer
import Logging
import ServiceLifecycle

/// Runs `body` with a service in this process that listens on a port of its own, with limits that suit tests.
package func withApplication(
    _ registry: Registry, authenticator: Authenticator, gate: Gate = Gate(),
    typingClock: some Clock<Duration> = ContinuousClock(), configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (_ port: Int) async throws -> Void
) async throws {
    var configuration = ServerConfiguration()
    configuration.port = 0
    // Tests of other things ask more than strangers may.
    configuration.limits.anonymous = nil
    configuration.limits.person = nil
    // Nobody is slow who only waits for a busy machine.
    configuration.limits.requestTime = .seconds(60)
    configure(&configuration)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = try buildApplication(
        registry: registry, authenticator: authenticator, configuration: configuration,
        logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), gate: gate,
        typingClock: typingClock
    ) { continuation.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await application.run() }
        group.addTask { for await port in ports { return try await body(port) } }
        try await group.next()
        group.cancelAll()
        // The service ends by being cancelled, which is no fault.
        while await group.nextResult() != nil {}
    }
}
