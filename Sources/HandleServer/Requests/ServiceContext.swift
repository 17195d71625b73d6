import HandleRegistry
import Hummingbird
import NIOCore

/// Data of a request besides the request itself.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The peer's address, which may be a proxy's; nil when it is not an IP address.
    let peer: InternetAddress?
    private let channel: any Channel
    /// The caller's subscriber address or network; nil when it is not known.
    var subscriber: InternetAddress?
    /// The quota that the request counts against; nil when there is no limit.
    var quota: Quota?
    var ids: RequestIDs?
    var credential = Credential.none
    /// The maximum depth of nested arrays and objects in the body.
    var jsonDepth = 0

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress.flatMap { InternetAddress($0) }
    }

    /// The pattern of the matched route, for every spelling of the path. Without a match it is the path.
    func call(of request: Request) -> String { endpointPath ?? request.uri.path }

    /// Whether a supervisor or a monitoring system sent the request; such requests are exempt from the limits, so that
    /// they succeed under overload. The matched route decides, and for the metrics also the key.
    var isHealthCheck: Bool {
        switch endpointPath {
        case "/livez", "/readyz": true
        case CallPath.metrics: credential.metricsKeyHolder != nil
        default: false
        }
    }

    /// Whether the call waits before its work starts, and enters the concurrency limit itself after that.
    func waitsFirst(_ request: Request) -> Bool { call(of: request) == CallPath.live }

    /// Calls `action` once the client has closed its side of the connection.
    func onDisconnect(_ action: @escaping @Sendable () -> Void) {
        channel.eventLoop.execute { [channel] in
            // A closed channel has no handlers any more.
            guard let connection = try? channel.pipeline.syncOperations.handler(type: ConnectionHandler.self) else {
                return action()
            }
            connection.onDisconnect(action)
        }
    }
}
