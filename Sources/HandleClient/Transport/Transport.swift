public import Foundation

/// Sends the requests of a ``RegistryClient``.
///
/// A conformer sends each request once, follows no redirect, and stores neither cookies nor responses.
public protocol Transport: Sendable {
    /// Sends a request and returns the response as soon as its head has arrived. No status is an error.
    /// - Throws: `.unreachable` if there was no connection, so the service did not get the request; `.answerLost` if it
    ///   may have got it; `.cancelled`.
    func send(_ request: TransportRequest) async throws(HandleClientError) -> TransportAnswer
}

/// An HTTP request.
public struct TransportRequest: Sendable {
    /// The method in capitals, such as `GET`.
    public let method: String
    /// The complete URL with its query.
    public let url: URL
    /// The header fields, one for each name. `Authorization` contains the credential.
    public let fields: [(name: String, value: String)]
    /// The body; nil for a request without one.
    public let body: Data?
    /// Whether the response is a stream that goes on for minutes, with a part at least every 30 seconds. The transport
    /// ends it as lost after twice that time without a part, and does not count it against the connections for calls.
    /// For other responses the client sets the timeout.
    public let isStream: Bool

    /// A request to send, by default without fields and body, and for one response.
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
    /// Omits fields and body, which contain secrets.
    public var description: String { "\(method) \(url.path)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An HTTP response.
public struct TransportAnswer: Sendable {
    /// The status, such as 200.
    public let status: Int
    /// Keyed by lowercase names.
    public let fields: [String: String]
    /// The body in parts as they arrive. An error means that the rest is lost. Ending the iteration cancels the
    /// request.
    public let body: AsyncThrowingStream<Data, any Error>

    /// A response with a body that arrives in parts.
    public init(status: Int, fields: [String: String] = [:], body: AsyncThrowingStream<Data, any Error>) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A response with a complete body.
    public init(status: Int, fields: [String: String] = [:], body: Data = Data()) {
        let (parts, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        if !body.isEmpty { continuation.yield(body) }
        continuation.finish()
        self.init(status: status, fields: fields, body: parts)
    }
}
