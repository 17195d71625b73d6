import HTTPTypes
import HandleRegistry
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Postgres
import TestSupport
import Testing

@testable import HandleServer

/// The handler of direct checks in a pipeline of its own.
@Suite(.timeLimit(.minutes(5))) struct DirectCheckHandlerTests {
    private static let path = "/v1/availability?handle=johndoe"

    /// Logs what the handler before it passes on.
    private final class LaterHandler: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTPRequestPart

        private let lines = NIOLockedValueBox<[String]>([])
        var log: [String] { lines.withLockedValue(\.self) }

        private func note(_ line: String) { lines.withLockedValue { $0.append(line) } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): note("head \(head.path ?? "")")
            case .body(let bytes): note("body \(bytes.readableBytes)")
            case .end: note("end")
            }
        }

    }

    private struct Pipeline {
        let channel: NIOAsyncTestingChannel
        let later = LaterHandler()

        init(_ checks: DirectChecks) async throws {
            let later = later
            channel = try await NIOAsyncTestingChannel { channel in
                try channel.pipeline.syncOperations.addHandlers([DirectCheckHandler(checks), later])
            }
        }

        func receive(_ parts: HTTPRequestPart...) async throws {
            for part in parts { try await channel.writeInbound(part) }
            await channel.testingEventLoop.run()
        }

        /// The next response.
        func response() async throws -> (head: HTTPResponse, body: String) {
            var (head, body): (HTTPResponse?, String) = (nil, "")
            while true {
                switch try await channel.waitForOutboundWrite(as: HTTPResponsePart.self) {
                case .head(let response): head = response
                case .body(let bytes): body += String(buffer: bytes)
                case .end: return (try #require(head), body)
                }
            }
        }
    }

    private static func get(_ path: String, _ fields: HTTPFields = [:]) -> HTTPRequestPart {
        .head(HTTPRequest(method: .get, scheme: "http", authority: "x", path: path, headerFields: fields))
    }

    /// With a key or without a credential.
    @Test func checkIsAnsweredWithoutTheLaterHandlers() async throws {
        let pipeline = try await Pipeline(DirectChecks(of: freshRegistry()))
        for (query, fields) in [
            ("handle=johndoe", [:]), ("handle=admin", [.authorization: "Bearer \(testKey)"]),
            ("handle=%40JohnDoe&suggestions=3&name=Olga", [.connection: "close"]), ("handle=&x=1", [:]),
        ] as [(String, HTTPFields)] {
            try await pipeline.receive(Self.get("/v1/availability?\(query)", fields), .end(nil))
            let (head, body) = try await pipeline.response()
            #expect(head.status == .ok && head.headerFields[.contentLength] == "\(body.utf8.count)")
            #expect(body.contains("\"handle\":"))
        }
        #expect(pipeline.later.log == [])
    }

    /// A handler knows its context, and the context knows the handler.
    @Test func handlerIsFreedWithItsConnection() async throws {
        final class Box: @unchecked Sendable { weak var handler: DirectCheckHandler? }
        let (box, checks) = (Box(), DirectChecks(of: try await freshRegistry()))
        let channel = try await NIOAsyncTestingChannel { channel in
            let handler = DirectCheckHandler(checks)
            box.handler = handler
            try channel.pipeline.syncOperations.addHandler(handler)
        }
        #expect(box.handler != nil)
        _ = try await channel.finish(acceptAlreadyClosed: true)
        #expect(box.handler == nil)
    }

    /// The router waits until the client has read; responses of direct checks would fill the memory.
    @Test func checkOfAClientThatDoesNotReadIsPassedOn() async throws {
        let pipeline = try await Pipeline(DirectChecks(of: freshRegistry()))
        pipeline.channel.isWritable = false
        try await pipeline.receive(Self.get(Self.path), .end(nil))
        #expect(pipeline.later.log == ["head \(Self.path)", "end"])
    }

    @Test func checkOfAClientThatHasLeftIsCountedToItsEnd() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let locker = try await LockedTable(in: database)
        let registry = try Registry(pool: patientPool(database))
        let load = ServerLoad()
        let checks = DirectChecks(of: registry, load: load)
        let pipeline = try await Pipeline(checks)
        try await pipeline.receive(Self.get(Self.path), .end(nil))
        try await eventually("the check is under way") { try await waitingForLocks(on: database) > 0 }
        #expect(load.requests == 1)
        // The channel of a real connection closes without asking the handlers.
        try await pipeline.channel.testingEventLoop.executeInContext {
            pipeline.channel.pipeline.fireChannelInactive()
            pipeline.channel.pipeline.syncOperations.removeHandler(
                try pipeline.channel.pipeline.syncOperations.handler(type: DirectCheckHandler.self), promise: nil)
        }
        try await locker.letGo()
        try await eventually("the check has ended") { load.requests == 0 }
        #expect(checks.metrics.all.map(\.0.status) == [200])
        // The tasks end once they have returned to the event loop.
        let stop = Task { await checks.tasks.run() }
        stop.cancel()
        await stop.value
        await pipeline.channel.testingEventLoop.run()
        #expect(try await pipeline.channel.readOutbound(as: HTTPResponsePart.self) == nil)
    }
}

extension DirectChecks {
    /// Direct checks of a service without a socket.
    fileprivate convenience init(of registry: Registry, load: ServerLoad = ServerLoad()) {
        let admission = Admission(
            authenticator: Authenticator(first: testKey, ring: KeyRing()), load: load, limits: ServerLimits(),
            quotas: Quotas(remembered: 100), addresses: CallerAddress(trustedProxies: []))
        self.init(
            registry: registry, admission: admission, origins: nil, metrics: RequestMetrics(),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }
}
