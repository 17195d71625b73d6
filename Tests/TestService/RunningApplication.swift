package import HandleRegistry
package import HandleServer
import Logging
import ServiceLifecycle

/// Runs `body` with a service in this process that listens on its own port, with limits that suit tests.
package func withApplication(
    _ registry: Registry, authenticator: Authenticator, drain: Drain = Drain(),
    typingClock: some Clock<Duration> = ContinuousClock(), configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (_ port: Int) async throws -> Void
) async throws {
    var configuration = ServerConfiguration()
    configuration.port = 0
    // Most tests send more requests than these quotas allow.
    configuration.limits.anonymous = nil
    configuration.limits.person = nil
    // On a busy machine a request may take long to arrive.
    configuration.limits.requestTime = .seconds(60)
    configure(&configuration)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = try buildApplication(
        registry: registry, authenticator: authenticator, configuration: configuration,
        logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), drain: drain,
        typingClock: typingClock
    ) { continuation.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await application.run() }
        group.addTask {
            for await port in ports {
                let result = await Result(catching: body, port)
                // A connection that is accepted while the server is being cancelled would end the process in NIO:
                // "Deinited NIOAsyncWriter without calling finish()". The service drains before it stops, too.
                try? await drain.run(notice: .zero)
                return try result.get()
            }
        }
        try await group.next()
        group.cancelAll()
        // The service is stopped by cancellation, so its error is expected.
        while await group.nextResult() != nil {}
    }
}

extension Result where Failure == any Error {
    fileprivate init<Input: Sendable>(
        catching body: @Sendable (Input) async throws -> Success, _ input: Input
    ) async {
        do { self = .success(try await body(input)) } catch { self = .failure(error) }
    }
}
