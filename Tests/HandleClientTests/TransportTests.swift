import Foundation
import HandleClient
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import TestIssuer
import TestService
import TestSupport
import Testing

#if AsyncHTTPClient
import AsyncHTTPTransport
#endif

/// The requirements on a transport, tested with every transport.
@Suite(.timeLimit(.minutes(5))) struct TransportTests {
    enum Kind: CaseIterable, Sendable {
        case urlSession
        #if AsyncHTTPClient
        case asyncHTTPClient
        #endif

        func use<Result>(_ body: (any Transport) async throws -> Result) async throws -> Result {
            switch self {
            case .urlSession: return try await body(URLSessionTransport(timeout: .seconds(60)))
            #if AsyncHTTPClient
            case .asyncHTTPClient:
                let transport = AsyncHTTPTransport(connecting: .seconds(60))
                let result: Swift.Result<Result, any Error>
                do { result = .success(try await body(transport)) } catch { result = .failure(error) }
                try await transport.shutdown()
                return try result.get()
            #endif
            }
        }
    }

    /// Runs a test with a server that responds with `answer`.
    private func withServer(
        _ kind: Kind, _ answer: @escaping @Sendable (Request) async throws -> Response,
        _ body: @escaping @Sendable (any Transport, URL) async throws -> Void
    ) async throws {
        let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in try await answer(request) }
        try await LoopbackServer.run(responder) { base in
            try await kind.use { transport in try await body(transport, base) }
        }
    }

    private static func read(_ answer: TransportAnswer) async throws -> String {
        var body = Data()
        for try await part in answer.body { body += part }
        return String(decoding: body, as: UTF8.self)
    }

    @Test(arguments: Kind.allCases, ["GET", "POST", "PUT", "PATCH", "DELETE"]) func requestIsSentUnchanged(
        _ kind: Kind, _ method: String
    ) async throws {
        let seen = NIOLockedValueBox<[String]>([])
        try await withServer(kind) { request in
            let body = try await request.body.collect(upTo: 1000)
            let line =
                "\(request.method.rawValue) \(request.uri) \(request.headers[.authorization] ?? "") \(String(buffer: body))"
            seen.withLockedValue { $0.append(line) }
            return Response(
                status: .init(code: 418), headers: [.retryAfter: "7"], body: .init(byteBuffer: .init(string: "tea")))
        } _: { transport, base in
            let url = try #require(URL(string: base.absoluteString + "/v1/handles/a%2Fb?c=%20d"))
            let body = method == "GET" || method == "DELETE" ? nil : Data("{}".utf8)
            let answer = try await transport.send(
                TransportRequest(method: method, url: url, fields: [("Authorization", "Bearer key")], body: body))
            #expect(answer.status == 418 && answer.fields["retry-after"] == "7")
            #expect(try await Self.read(answer) == "tea")
            #expect(
                seen.withLockedValue(\.self) == [
                    "\(method) /v1/handles/a%2Fb?c=%20d Bearer key \(body == nil ? "" : "{}")"
                ])
        }
    }

    private static func code(of error: any Error) -> HandleClientError.Code? { (error as? HandleClientError)?.code }

    @Test(arguments: Kind.allCases) func redirectIsNotFollowed(_ kind: Kind) async throws {
        let seen = NIOLockedValueBox(0)
        try await withServer(kind) { _ in
            seen.withLockedValue { $0 += 1 }
            return Response(status: .temporaryRedirect, headers: [.location: "/elsewhere"])
        } _: { transport, base in
            let client = RegistryClient(base: base, credential: .key("secret"), transport: transport)
            let error = await #expect(throws: HandleClientError.self) { try await client.availability(of: "janeroe") }
            #expect(error?.code == .redirected && error?.status == 307)
            #expect(seen.withLockedValue(\.self) == 1)
        }
    }

    @Test(arguments: Kind.allCases) func partsOfTheBodyAreReadAsTheyArrive(_ kind: Kind) async throws {
        let (turns, turn) = AsyncStream.makeStream(of: String.self)
        try await withServer(kind) { _ in
            Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: "first"))
                    for await text in turns { try await writer.write(ByteBuffer(string: text)) }
                    try await writer.finish(nil)
                })
        } _: { transport, base in
            let answer = try await transport.send(TransportRequest(method: "GET", url: base, isStream: true))
            var parts = answer.body.makeAsyncIterator()
            var read = ""
            for expected in ["first", "second", "third"] {
                // The server sends the next part only after this one was read.
                while !read.hasSuffix(expected) {
                    read += String(decoding: try #require(try await parts.next()), as: UTF8.self)
                }
                if expected != "third" { turn.yield(expected == "first" ? "second" : "third") }
            }
            turn.finish()
            #expect(try await parts.next() == nil)
        }
    }

    @Test(arguments: Kind.allCases) func truncatedBodyThrowsAnswerLost(_ kind: Kind) async throws {
        struct Cut: Error {}
        try await withServer(kind) { _ in
            Response(
                status: .ok, headers: [.contentLength: "100"],
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: "half"))
                    throw Cut()
                })
        } _: { transport, base in
            let answer = try await transport.send(TransportRequest(method: "GET", url: base))
            await #expect(throws: (any Error).self) { try await Self.read(answer) }
            let client = RegistryClient(base: base, transport: transport, limits: .once)
            let error = await #expect(throws: HandleClientError.self) { try await client.availability(of: "janeroe") }
            #expect(error?.code == .answerLost)
        }
    }

    @Test func refusedConnectionThrowsUnsent() async throws {
        let port = try BoundPort()
        let gone = try #require(URL(string: "http://127.0.0.1:\(port.number)"))
        let request = TransportRequest(method: "POST", url: gone, body: Data("{}".utf8))
        await #expect { try await URLSessionTransport().send(request) } throws: { Self.code(of: $0) == .unreachable }
        #if AsyncHTTPClient
        let transport = AsyncHTTPTransport(connecting: .milliseconds(100))
        await #expect { try await transport.send(request) } throws: { Self.code(of: $0) == .unreachable }
        try await transport.shutdown()
        #endif
        withExtendedLifetime(port) {}
    }

    @Test(arguments: Kind.allCases) func requestEndsWhenItsReaderStops(_ kind: Kind) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await withServer(kind) { _ in
            Response(
                status: .ok,
                body: .init { writer in
                    defer { end.finish() }
                    // Writes until the client closes the connection.
                    while true {
                        try await writer.write(ByteBuffer(string: "more"))
                        try await Task.sleep(for: .milliseconds(5))
                    }
                })
        } _: { transport, base in
            @Sendable func readTheBeginning() async throws {
                let answer = try await transport.send(TransportRequest(method: "GET", url: base, isStream: true))
                for try await _ in answer.body { break }
            }
            try await readTheBeginning()
            for await _ in ends {}
        }
    }

    @Test(arguments: Kind.allCases) func cancelledRequestEndsAtOnce(_ kind: Kind) async throws {
        let (gate, letGo) = AsyncStream.makeStream(of: Void.self)
        let seen = NIOLockedValueBox(0)
        try await withServer(kind) { _ in
            seen.withLockedValue { $0 += 1 }
            for await _ in gate {}
            return Response(status: .ok)
        } _: { transport, base in
            let sending = Task { try await transport.send(TransportRequest(method: "GET", url: base)).status }
            try await eventually("the request is there") { seen.withLockedValue { $0 == 1 } }
            sending.cancel()
            await #expect { try await sending.value } throws: { Self.code(of: $0) == .cancelled }
            letGo.finish()
        }
    }

    @Test(arguments: Kind.allCases) func streamsTakeNoConnectionFromCalls(_ kind: Kind) async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await withServer(kind) { request in
            guard request.uri.path == "/stream" else { return Response(status: .ok) }
            return Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: "begun"))
                    for await _ in gate {}
                    try await writer.finish(nil)
                })
        } _: { transport, base in
            var streams: [TransportAnswer] = []
            for _ in 0..<20 {
                streams.append(
                    try await transport.send(
                        TransportRequest(method: "GET", url: base.appending(path: "stream"), isStream: true)))
            }
            #expect(try await transport.send(TransportRequest(method: "GET", url: base)).status == 200)
            open.finish()
            for stream in streams { #expect(try await Self.read(stream) == "begun") }
        }
    }

    /// The requests share connections, and no response is lost.
    @Test(arguments: Kind.allCases) func concurrentRequestsAllGetTheirAnswers(_ kind: Kind) async throws {
        try await withServer(kind) { request in
            Response(status: .ok, body: .init(byteBuffer: .init(string: request.uri.path)))
        } _: { transport, base in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let url = base.appending(path: "\(number)")
                        let answer = try await transport.send(
                            TransportRequest(method: number % 2 == 0 ? "GET" : "POST", url: url))
                        return try await Self.read(answer) == "/\(number)"
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }
}
