#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

/// Sends requests over URLSession. Cookies and responses are not stored. Redirects are not followed, because
/// FoundationNetworking would send `Authorization` to the other host.
package final class HTTPLoader: Sendable {
    package let timeout: Duration
    package let timing: Timing
    private let longest: Int
    private let configuration: URLSessionConfiguration
    /// For requests that may be sent twice.
    private let session: URLSession
    private let exchanges = HTTPExchanges()

    /// - Parameters:
    ///   - timeout: for a response to begin, and between two parts of it.
    ///   - longest: the maximum size of a response body in bytes. A larger one throws `.lost`.
    ///   - connections: the maximum number of connections to one host; nil for the default of URLSession. Further
    ///     requests wait.
    ///   - clock: for callers that limit the time of a whole response.
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
        // FoundationNetworking drops the fraction, and treats zero as a millisecond.
        configuration.timeoutIntervalForRequest = timeout.inSeconds.rounded(.up)
        if let connections { configuration.httpMaximumConnectionsPerHost = connections }
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        // URLSession retains its delegate until then.
        session.finishTasksAndInvalidate()
    }

    /// Loads the whole response.
    package func load(_ request: URLRequest) async throws(LoadError) -> HTTPAnswer {
        try await send(request) { [exchanges, longest] in exchanges.begin($0, $1, longest: longest) }
    }

    /// Returns the response as soon as its body begins. The size of the body is not limited.
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

    /// FoundationNetworking repeats a request when a reused connection closes without a response. That would use a
    /// refresh token twice. So each request that changes something gets its own session, and with it its own
    /// connection.
    private func task(for request: URLRequest) -> URLSessionDataTask {
        if ["GET", "HEAD"].contains(request.httpMethod ?? "GET") { return session.dataTask(with: request) }
        let own = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        defer { own.finishTasksAndInvalidate() }
        return own.dataTask(with: request)
    }
}
