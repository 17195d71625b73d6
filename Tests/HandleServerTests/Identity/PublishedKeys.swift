#if IdentityTokens
import Hummingbird
import Logging
import NIOConcurrencyHelpers

/// The key set that an issuer publishes over HTTP, and the number of requests for it.
final class PublishedKeys: Sendable {
    private struct State {
        var body = ""
        var status = HTTPResponse.Status.ok
        var requests = 0
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = NIOLockedValueBox(State())

    init(_ body: String) { publish(body) }

    func publish(_ body: String, _ status: HTTPResponse.Status = .ok) {
        state.withLockedValue { ($0.body, $0.status) = (body, status) }
    }

    var requests: Int { state.withLockedValue(\.requests) }

    /// Delays the answers to all requests until ``letGo()``.
    func hold() { state.withLockedValue { $0.isHeld = true } }

    func letGo() {
        let held = state.withLockedValue { state in
            state.isHeld = false
            defer { state.held = [] }
            return state.held
        }
        for one in held { one.resume() }
    }

    /// Runs `body` with a server that publishes the keys at `/keys`, redirects at `/moved`, and answers without end at
    /// `/dripping`.
    func serve(_ body: @escaping @Sendable (_ address: String) async throws -> Void) async throws {
        let router = Router()
        router.get("/keys") { [self] _, _ in await answer() }
        router.get("/moved") { [self] _, _ -> Response in
            state.withLockedValue { $0.requests += 1 }
            return Response(status: .found, headers: [.location: "/keys"])
        }
        router.get("/dripping") { _, _ -> Response in
            Response(
                status: .ok,
                body: .init { writer in
                    while true {
                        try await writer.write(ByteBuffer(string: " "))
                        try await ContinuousClock().sleep(for: .milliseconds(100))
                    }
                })
        }
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "issuer", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            group.addTask { [self] in
                defer { letGo() }
                for await port in ports { return try await body("http://127.0.0.1:\(port)") }
            }
            try await group.next()
            group.cancelAll()
            // The server is stopped by cancellation, so its error is expected.
            while await group.nextResult() != nil {}
        }
    }

    private func answer() async -> Response {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLockedValue { state in
                state.requests += 1
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        let (body, status) = state.withLockedValue { ($0.body, $0.status) }
        return Response(status: status, body: .init(byteBuffer: ByteBuffer(string: body)))
    }
}
#endif
