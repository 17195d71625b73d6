package import Foundation
package import Hummingbird
import Logging
import ServiceLifecycle

/// An HTTP server on 127.0.0.1 that runs as long as a closure.
package enum LoopbackServer {
    /// The server ended before the closure, for example because of a signal.
    struct Ended: Error {}

    /// - Parameter port: 0 for any free port.
    package static func run<Result: Sendable>(
        _ responder: some HTTPResponder<some InitializableFromSource<ApplicationRequestContextSource>>, port: Int = 0,
        _ body: @escaping @Sendable (_ base: URL) async throws -> Result
    ) async throws -> Result {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "server", factory: { _ in SwiftLogNoOpLogHandler() })
        let application = Application(
            responder: responder,
            configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
        var configuration = ServiceGroupConfiguration(services: [.init(service: application)], logger: logger)
        // A request that is never answered would keep the server running.
        configuration.maximumGracefulShutdownDuration = .seconds(30)
        let group = ServiceGroup(configuration: configuration)
        async let served: Void = {
            defer { continuation.finish() }
            try await group.run()
        }()
        for await port in ports {
            let result = await Swift.Result<Result, any Error> {
                guard let base = URL(string: "http://127.0.0.1:\(port)") else { throw Ended() }
                return try await body(base)
            }
            // Not stopped by cancellation: a connection that is accepted at that moment would end the process
            // (NIOAsyncWriter).
            await group.triggerGracefulShutdown()
            try await served
            return try result.get()
        }
        try await served
        throw Ended()
    }
}

extension Result where Failure == any Error {
    /// The result of `body`, for work that follows it in either case.
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
