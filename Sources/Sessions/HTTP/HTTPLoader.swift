import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The answer of a server.
struct HTTPAnswer: Sendable {
    let response: HTTPURLResponse
    let body: Data
    /// By names in lowercase. Fields that came more than once are joined with commas, as URLSession gives them.
    let fields: [String: String]

    init(_ response: HTTPURLResponse, _ body: Data) {
        self.response = response
        self.body = body
        var fields: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            fields[name.lowercased()] = value
        }
        self.fields = fields
    }

    var status: Int { response.statusCode }
}

/// Why there is no answer.
enum LoadError: Error {
    /// The server did not get the request.
    case unsent
    /// The server may have got the request, and may have acted on it.
    case lost
    case cancelled
}

/// Sends requests over URLSession. No cookie and no answer is stored, and redirects are not followed: FoundationNetworking
/// would send `Authorization` on to another host.
final class HTTPLoader: Sendable {
    let timeout: Duration
    let timing: Timing
    private let configuration: URLSessionConfiguration
    /// For requests that may be sent twice.
    private let session: URLSession
    private let exchanges: HTTPExchanges

    /// - Parameters:
    ///   - timeout: for an answer to begin, and between two parts of it.
    ///   - longest: the limit of an answer's body, in bytes. A longer one is `.lost`.
    ///   - clock: for the limit of a whole answer; see ``answer(to:)``.
    init(timeout: Duration, longest: Int, clock: any Clock<Duration> = .continuous) {
        self.timeout = timeout
        timing = Timing(clock)
        configuration = .ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = timeout.inSeconds
        exchanges = HTTPExchanges(longest: longest)
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        // URLSession keeps its delegate until then.
        session.finishTasksAndInvalidate()
    }

    func load(_ request: URLRequest) async throws(LoadError) -> HTTPAnswer {
        let task = task(for: request)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchanges.begin(task, continuation)
                if Task.isCancelled { exchanges.end(task, .failure(.cancelled)) } else { task.resume() }
            }
        } onCancel: {
            exchanges.end(task, .failure(.cancelled))
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

extension LoadError {
    /// Errors before there is a connection, so the request was not sent.
    private static let unsentCodes: Set<URLError.Code> = [
        .badURL, .unsupportedURL, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
        .internationalRoamingOff, .callIsActive, .dataNotAllowed, .secureConnectionFailed,
        .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
        .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired,
        .appTransportSecurityRequiresSecureConnection,
    ]

    init(_ error: any Error) {
        switch (error as? URLError)?.code {
        case .cancelled?: self = .cancelled
        case let code? where Self.unsentCodes.contains(code): self = .unsent
        default: self = .lost
        }
    }
}
