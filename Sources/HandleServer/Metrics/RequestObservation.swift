import HTTPTypes
import Hummingbird
import Logging

/// A request from its beginning to its end: its ids, and its duration for the metrics and the log.
struct RequestObservation: Sendable {
    let ids: RequestIDs
    private let beginning = ContinuousClock.now

    /// Maximum length of a request id that is taken over from the client.
    private static let longestID = 128

    init(_ request: Request) {
        ids = RequestIDs(id: Self.id(given: request) ?? RequestIDs.newID(), trace: TraceContext(request))
    }

    /// Adds the ids to the response, counts the request and logs it.
    /// - Parameter route: the route's pattern, never the path, which may have a handle in it; nil if there is none.
    func end(
        _ method: HTTPRequest.Method, _ route: String?, _ status: HTTPResponse.Status, _ headers: inout HTTPFields,
        in metrics: RequestMetrics, _ logger: Logger
    ) {
        headers[.requestID] = ids.id
        if let trace = ids.trace { headers[.traceParent] = trace.header }
        let (route, duration) = (route ?? "none", ContinuousClock.now - beginning)
        metrics.note(method, route, status.code, duration)
        logger.info(
            "request",
            metadata: ids.metadata([
                "method": "\(method.rawValue)", "route": "\(route)", "status": .stringConvertible(status.code),
                "ms": .stringConvertible(Self.milliseconds(duration)),
            ]))
    }

    /// The client's own request id, if it is printable ASCII and not too long.
    private static func id(given request: Request) -> String? {
        guard let id = request.headers[.requestID], (1...longestID).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return id
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1000
    }
}
