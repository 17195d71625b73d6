#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

/// Sends requests over URLSession. No cookie and no answer is stored, and redirects are not followed: FoundationNetworking
/// would send `Authorization` on to another host.
package final class HTTPLoader: Sendable {
    package let timeout: Duration
    package let timing: Timing
    private let longest: Int
    private let configuration: URLSessionConfiguration
    /// For requests that may be sent twice.
    private let session: URLSession
    private let exchanges = HTTPExchanges()

    /// - Parameters:
    ///   - timeout: for an answer to begin, and between two parts of it.
    ///   - longest: the limit of an answer's body, in bytes. A longer one is `.lost`.
    ///   - connections: to one host at a time; nil for the usual few. More requests wait for one.
    ///   - clock: for those who limit the time of a whole answer.
    package init(
        timeout: Duration, longest: Int, connections: Int? = nil, clock: any Clock<Duration> = .continuous
    ) {
        self.timeout = timeout
        self.longest = longest
        timing = Timing(clock)
        configuration = .ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // FoundationNetworking drops the fraction, and takes zero for a millisecond.
        configuration.timeoutIntervalForRequest = timeout.inSeconds.rounded(.up)
        if let connections { configuration.httpMaximumConnectionsPerHost = connections }
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        // URLSession keeps its delegate until then.
        session.finishTasksAndInvalidate()
    }

    /// The whole answer.
    package func load(_ request: URLRequest) async throws(LoadError) -> HTTPAnswer {
        try await send(request) { [exchanges, longest] in exchanges.begin($0, $1, longest: longest) }
    }

    /// The answer as soon as its body begins. The parts have no limit.
    package func open(_ request: URLRequest) async throws(LoadError) -> HTTPStream {
        try await send(request) { [exchanges] in exchanges.begin($0, $1) }
    }

    private func send<Answer: Sendable>(
        _ request: URLRequest, _ begin: (URLSessionTask, HTTPExchanges.Caller<Answer>) -> Void
    ) async throws(LoadError) -> Answer {
        let task = task(for: request)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                begin(task, caller)
                if Task.isCancelled { exchanges.end(task, .cancelled) } else { task.resume() }
            }
        } onCancel: {
            exchanges.end(task, .cancelled)
            task.cancel()
        }
        return try answer.get()
    }

    /// FoundationNetworking sends a request again when a reused connection closes without an answer. That would use a refresh
    /// token twice. So each request that changes something gets a session, and with it a connection, of its own.
    private func task(for request: URLRequest) -> URLSessionDataTask {
        if ["GET", "HEAD"].contains(request.httpMethod ?? "GET") { return session.dataTask(with: request) }
        let own = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        defer { own.finishTasksAndInvalidate() }
        return own.dataTask(with: request)
    }
}
