import HandleRegistry
import Hummingbird
import NIOCore

/// What is known of a request besides what it says.
struct ServiceContext: AskingContext, StreamingContext {
    var coreContext: CoreRequestContextStorage
    /// From where it comes, proxies included; nil when that is no address of the internet.
    let peer: InternetAddress?
    private let channel: any Channel
    var subscriber: InternetAddress?
    var quota: Quota?
    var ids: RequestIDs?
    var credential = Credential.none

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress.flatMap { InternetAddress($0) }
    }

    /// The call that was found, however its path is written; of what is no call there is only the path.
    func call(of request: Request) -> String { endpointPath ?? request.uri.path }

    /// Whether supervisors ask, who must get an answer above all when there is too much to do. The route that answers
    /// decides, and for the metrics the key besides.
    var isAskedBySupervisors: Bool {
        switch endpointPath {
        case "/livez", "/readyz": true
        case MetricsPath.text: credential.keyHolder?.may(.metrics) ?? false
        default: false
        }
    }

    /// Whether the call waits before there is anything to do, and takes its place among those who are worked on then.
    func waitsFirst(_ request: Request) -> Bool { call(of: request) == LiveCall.path }

    func whenCallerLeaves(_ action: @escaping @Sendable () -> Void) {
        channel.eventLoop.execute { [channel] in
            // What is closed has no handlers any more.
            guard let connection = try? channel.pipeline.syncOperations.handler(type: ConnectionGuard.self) else {
                return action()
            }
            connection.whenCallerLeaves(action)
        }
    }
}

/// A request whose answer goes on for as long as somebody listens.
protocol StreamingContext: RequestContext {
    /// Calls `action` once the caller has closed their side of the connection.
    func whenCallerLeaves(_ action: @escaping @Sendable () -> Void)
}

/// A request that counts against what its caller may ask.
protocol AskingContext: CallerContext {
    /// Nil when nobody counts.
    var quota: Quota? { get }
    /// The caller's network address, as far as one subscriber is told from another; nil when it is not known.
    var subscriber: InternetAddress? { get }
}
