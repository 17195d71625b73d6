import Debouncing
public import HandleRegistry
public import Hummingbird
public import Logging

/// Where and how the service listens.
public struct ServerConfiguration: Sendable {
    public var host = "127.0.0.1"
    /// 0 for any that is free.
    public var port = 8080
    /// Callers' connections at most; more wait to be accepted.
    public var connections = 10_000
    /// How long a live check waits for the next keystroke.
    public var typingPause = Duration.milliseconds(300)

    public init() {}
}

/// The service: everything is put together here.
/// - Parameter onListening: called once with the port that connections are taken on.
public func buildApplication(
    registry: Registry, keys: AccessKeys, configuration: ServerConfiguration, logger: Logger,
    onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    var routes = Routes<BasicRequestContext>()
    let debouncer = Debouncer<LiveSession, _>(pause: configuration.typingPause, clock: ContinuousClock())
    // Streams stay open: half of the connections are for everybody else.
    let watches = Watches(registry, maxWatchers: configuration.connections / 2)
    AvailabilityController(registry: registry, keys: keys).addRoutes(to: &routes)
    LiveController(registry: registry, keys: keys, debouncer: debouncer).addRoutes(to: &routes)
    WatchController(registry: registry, keys: keys, watches: watches).addRoutes(to: &routes)
    HoldsController(registry: registry, keys: keys).addRoutes(to: &routes)
    HandlesController(registry: registry, keys: keys).addRoutes(to: &routes)
    HealthController(registry: registry).addRoutes(to: &routes)
    MetricsController(registry: registry, debouncer: debouncer, watches: watches).addRoutes(to: &routes)
    var application = Application(
        router: routes.router(),
        server: .http1(configuration: .init(additionalChannelHandlers: [ProtocolProblemHandler()])),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port), backlog: 1024,
            availableConnectionsDelegate: .maximum(configuration.connections, logger: logger)),
        onServerRunning: { channel in await onListening(channel.localAddress?.port ?? configuration.port) },
        logger: logger)
    application.addServices(WatchService(watches: watches))
    return application
}
