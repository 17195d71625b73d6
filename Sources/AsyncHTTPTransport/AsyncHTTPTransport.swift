#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
public import HandleClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends the requests of a `RegistryClient` over AsyncHTTPClient, for servers. All calls share its connections.
public final class AsyncHTTPTransport: Transport {
    private let calls: HTTPClient
    /// A stream occupies a connection for as long as it is read, so streams have connections of their own.
    private let streams: HTTPClient

    /// Create one for the whole program, and call ``shutdown()`` at its end.
    /// - Parameter connecting: the timeout of a connection attempt.
    public init(connecting: Duration = .seconds(5)) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            // The client has its own timeouts, which apply. The service sends a heartbeat on a stream in less than half
            // of 75 seconds.
            timeout: .init(connect: TimeAmount(connecting), read: .seconds(75)))
        configuration.httpVersion = .http1Only
        calls = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1000
        streams = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes the connections. The transport can't be used afterwards.
    public func shutdown() async throws {
        // Both are shut down, even when one fails.
        let first = Task { try await calls.shutdown() }
        try await streams.shutdown()
        try await first.value
    }

    public func send(_ request: TransportRequest) async throws(HandleClientError) -> TransportAnswer {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        message.method = HTTPMethod(rawValue: request.method)
        for field in request.fields { message.headers.add(name: field.name, value: field.value) }
        if let body = request.body { message.body = .bytes(ByteBuffer(bytes: body)) }
        let answer: HTTPClientResponse
        do {
            answer = try await (request.isStream ? streams : calls).execute(message, deadline: .distantFuture)
        } catch {
            throw HandleClientError(error)
        }
        var fields: [String: String] = [:]
        for header in answer.headers {
            let name = header.name.lowercased()
            fields[name] = fields[name].map { "\($0), \(header.value)" } ?? header.value
        }
        return TransportAnswer(status: Int(answer.status.code), fields: fields, body: Self.parts(of: answer.body))
    }

    /// The body in parts as they arrive. Ending the iteration cancels the request.
    private static func parts(of body: HTTPClientResponse.Body) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            let reading = Task {
                do {
                    for try await part in body { continuation.yield(Data(part.readableBytesView)) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in reading.cancel() }
        }
    }
}

/// The errors of the system for a failed connection attempt.
private let unconnected: Set<CInt> = [
    ECONNREFUSED, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, ENOENT,
]

extension HandleClientError {
    fileprivate init(_ error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError where error == .cancelled: self = .cancelled
        case let error as HTTPClientError where [.connectTimeout, .getConnectionFromPoolTimeout].contains(error):
            self = .unreachable
        case is NIOConnectionError, is SocketAddressError: self = .unreachable
        case let error as IOError where unconnected.contains(error.errnoCode): self = .unreachable
        default: self = .answerLost
        }
    }
}
#endif
