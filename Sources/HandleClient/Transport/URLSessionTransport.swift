import Foundation
import HTTPLoading

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests over URLSession.
public struct URLSessionTransport: Transport {
    private let calls: HTTPLoader
    private let streams: HTTPLoader

    /// - Parameter timeout: for a response to begin, and between two parts of it.
    public init(timeout: Duration = .seconds(10)) {
        // The client limits the size of the body.
        calls = HTTPLoader(timeout: timeout, longest: .max)
        // 75 seconds are more than twice the interval of heartbeats. Each stream occupies a connection for as long as
        // it is read.
        streams = HTTPLoader(timeout: .seconds(75), longest: .max, connections: 1000)
    }

    public func send(_ request: TransportRequest) async throws(HandleClientError) -> TransportAnswer {
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        message.httpBody = request.body
        for field in request.fields { message.setValue(field.value, forHTTPHeaderField: field.name) }
        do throws(LoadError) {
            let stream = try await (request.isStream ? streams : calls).open(message)
            return TransportAnswer(status: stream.answer.status, fields: stream.answer.fields, body: stream.parts)
        } catch {
            switch error {
            case .unsent: throw .unreachable
            case .lost: throw .answerLost
            case .cancelled: throw .cancelled
            }
        }
    }
}
