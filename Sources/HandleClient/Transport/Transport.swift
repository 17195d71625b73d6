public import Foundation

/// Sends the requests of a ``HandleClient``.
///
/// A conformer sends each request once, follows no redirect, and stores neither cookies nor answers.
public protocol Transport: Sendable {
    /// Sends a request, and returns the answer as soon as its head has come. Every status is an answer.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportAnswer
}

/// A request over HTTP.
public struct TransportRequest: Sendable {
    public let method: String
    public let url: URL
    public let fields: [(name: String, value: String)]
    public let body: Data?
    /// Whether the answer goes on for minutes, with a part every 30 seconds at least. The transport ends it as lost when none has come
    /// for twice that time, and gives it a connection besides those for calls. The time of other answers is the client's to limit.
    public let isStream: Bool

    public init(
        method: String, url: URL, fields: [(name: String, value: String)] = [], body: Data? = nil,
        isStream: Bool = false
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.isStream = isStream
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// Without fields and body, which have secrets.
    public var description: String { "\(method) \(url.path)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An answer over HTTP.
public struct TransportAnswer: Sendable {
    public let status: Int
    /// By names in lowercase.
    public let fields: [String: String]
    /// The body in parts, as they come. An error means that the rest is lost. To stop reading ends the request.
    public let body: AsyncThrowingStream<Data, any Error>

    public init(status: Int, fields: [String: String] = [:], body: AsyncThrowingStream<Data, any Error>) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An answer whose body is there.
    public init(status: Int, fields: [String: String] = [:], body: Data = Data()) {
        let (parts, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        if !body.isEmpty { continuation.yield(body) }
        continuation.finish()
        self.init(status: status, fields: fields, body: parts)
    }
}

/// Why a request has no answer.
public enum TransportError: Error, Sendable {
    /// There was no connection, so the service did not get the request.
    case unsent
    /// The service may have got the request.
    case lost
    case cancelled
}
