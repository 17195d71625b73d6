import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of URLSession. It passes the responses of all requests in flight to their callers.
final class HTTPExchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Caller<Answer: Sendable> = CheckedContinuation<Result<Answer, LoadError>, Never>

    private enum Reception {
        /// The caller waits for the end of the body, which may have at most `longest` bytes.
        case whole(Caller<HTTPAnswer>, longest: Int, body: Data)
        /// The caller waits for the start of the body.
        case beginning(Caller<HTTPStream>, AsyncThrowingStream<Data, any Error>, PartsContinuation)
        /// The caller has the stream. It is not retained here, so that dropping the stream ends it.
        case parts(PartsContinuation)
    }

    private typealias PartsContinuation = AsyncThrowingStream<Data, any Error>.Continuation

    private struct Exchange {
        /// Retained, so that no other task gets the same `ObjectIdentifier`.
        let task: URLSessionTask
        var reception: Reception
    }

    private let exchanges = Locked<[ObjectIdentifier: Exchange]>([:])

    func begin(_ task: URLSessionTask, _ caller: Caller<HTTPAnswer>, longest: Int) {
        begin(task, .whole(caller, longest: longest, body: Data()))
    }

    func begin(_ task: URLSessionTask, _ caller: Caller<HTTPStream>) {
        let (parts, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        // Also called when the caller stops reading.
        continuation.onTermination = { [weak self] _ in
            self?.end(task, .cancelled)
            task.cancel()
        }
        begin(task, .beginning(caller, parts, continuation))
    }

    private func begin(_ task: URLSessionTask, _ reception: Reception) {
        exchanges.withValue { $0[ObjectIdentifier(task)] = Exchange(task: task, reception: reception) }
    }

    /// Ends the exchange of a task, unless it has ended.
    func end(_ task: URLSessionTask, _ error: LoadError?) {
        guard let exchange = exchanges.withValue({ $0.removeValue(forKey: ObjectIdentifier(task)) }) else { return }
        let response = task.response as? HTTPURLResponse
        switch exchange.reception {
        case .whole(let caller, _, let body):
            caller.resume(returning: Self.result(error, response) { HTTPAnswer($0, body) })
        case .beginning(let caller, let parts, let continuation):
            continuation.finish(throwing: error)
            caller.resume(
                returning: Self.result(error, response) { HTTPStream(answer: HTTPAnswer($0, Data()), parts: parts) })
        case .parts(let continuation):
            continuation.finish(throwing: error)
        }
    }

    private static func result<Answer>(
        _ error: LoadError?, _ response: HTTPURLResponse?, _ answer: (HTTPURLResponse) -> Answer
    ) -> Result<Answer, LoadError> {
        if let error { return .failure(error) }
        guard let response else { return .failure(.lost) }
        return .success(answer(response))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let key = ObjectIdentifier(dataTask)
        let reception = exchanges.withValue { exchanges -> Reception? in
            switch exchanges[key]?.reception {
            case .whole(let caller, let longest, var body)?:
                // Removes the dictionary's reference first; otherwise the append would copy the body.
                exchanges[key]?.reception = .whole(caller, longest: longest, body: Data())
                body.append(data)
                exchanges[key]?.reception = .whole(caller, longest: longest, body: body)
            case .beginning(_, _, let continuation)?:
                let before = exchanges[key]?.reception
                exchanges[key]?.reception = .parts(continuation)
                return before
            case .parts?, nil: break
            }
            return exchanges[key]?.reception
        }
        switch reception {
        case .whole(_, let longest, let body)? where body.count > longest:
            end(dataTask, .lost)
            dataTask.cancel()
        case .beginning(let caller, let parts, let continuation)?:
            let stream = Self.result(nil, dataTask.response as? HTTPURLResponse) {
                HTTPStream(answer: HTTPAnswer($0, Data()), parts: parts)
            }
            continuation.yield(data)
            caller.resume(returning: stream)
        case .parts(let continuation)?: continuation.yield(data)
        case .whole?, nil: break
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(task, error.map { LoadError($0) })
    }
}
