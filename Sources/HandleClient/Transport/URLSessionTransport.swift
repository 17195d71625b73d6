import Foundation
import HTTPLoading

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests over URLSession.
public struct URLSessionTransport: Transport {
    private let calls: HTTPLoader
    private let streams: HTTPLoader

    /// - Parameter timeout: for an answer to begin, and between two parts of it.
    public init(timeout: Duration = .seconds(10)) {
        // The body has the limits of the client.
        calls = HTTPLoader(timeout: timeout, longest: .max)
        // More than twice the time between two signs of life. Each stream has a connection for as long as it is read.
        streams = HTTPLoader(timeout: .seconds(75), longest: .max, connections: 1000)
    }

    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportAnswer {
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        message.httpBody = request.body
        for field in request.fields { message.setValue(field.value, forHTTPHeaderField: field.name) }
        do throws(LoadError) {
            let stream = try await (request.isStream ? streams : calls).open(message)
            return TransportAnswer(status: stream.answer.status, fields: stream.answer.fields, body: stream.parts)
        } catch {
            switch error {
            case .unsent: throw .unsent
            case .lost: throw .lost
            case .cancelled: throw .cancelled
            }
        }
    }
}
