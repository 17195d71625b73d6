import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of URLSession: it collects the answers of all requests under way.
final class HTTPExchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Continuation = CheckedContinuation<Result<HTTPAnswer, LoadError>, Never>

    private struct Exchange {
        /// Retained, so that no other task gets the same `ObjectIdentifier`.
        let task: URLSessionTask
        let continuation: Continuation
        var body = Data()
    }

    private let longest: Int
    private let exchanges = Locked<[ObjectIdentifier: Exchange]>([:])

    init(longest: Int) { self.longest = longest }

    func begin(_ task: URLSessionTask, _ continuation: Continuation) {
        exchanges.withValue { $0[ObjectIdentifier(task)] = Exchange(task: task, continuation: continuation) }
    }

    /// Ends the exchange of a task, unless it has ended.
    func end(_ task: URLSessionTask, _ answer: Result<HTTPAnswer, LoadError>) {
        take(task)?.continuation.resume(returning: answer)
    }

    private func take(_ task: URLSessionTask) -> Exchange? {
        exchanges.withValue { $0.removeValue(forKey: ObjectIdentifier(task)) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = exchanges.withValue { exchanges in
            let key = ObjectIdentifier(dataTask)
            exchanges[key]?.body.append(data)
            return exchanges[key].map { $0.body.count > longest } ?? false
        }
        guard isTooLong else { return }
        end(dataTask, .failure(.lost))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = take(task) else { return }
        if let error {
            exchange.continuation.resume(returning: .failure(LoadError(error)))
        } else if let response = task.response as? HTTPURLResponse {
            exchange.continuation.resume(returning: .success(HTTPAnswer(response, exchange.body)))
        } else {
            exchange.continuation.resume(returning: .failure(.lost))
        }
    }
}
