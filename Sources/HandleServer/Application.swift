import Debouncing
package import HandleRegistry
package import Hummingbird
import HummingbirdCore
package import Logging

/// Builds the service from its parts.
/// - Parameters:
///   - typingClock: measures the pause after a keystroke.
///   - onListening: called once, with the port on which connections are accepted.
package func buildApplication(
    registry: Registry, authenticator: Authenticator, configuration: ServerConfiguration, logger: Logger,
    drain: Drain = Drain(), typingClock: some Clock<Duration> = ContinuousClock(),
    onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
) throws -> some ApplicationProtocol {
    let (limits, metrics) = (configuration.limits, RequestMetrics())
    let (routes, watches) = serviceRoutes(
        registry: registry, keys: authenticator.ring, configuration: configuration, drain: drain,
        typingClock: typingClock, metrics: metrics)
    let origins =
        configuration.pageOrigins.isEmpty
        ? nil
        : PageOriginMiddleware(origins: configuration.pageOrigins, authenticator: authenticator)
    let admission = Admission(
        authenticator: authenticator, load: drain.load, limits: limits,
        quotas: Quotas(remembered: limits.rememberedCallers),
        addresses: CallerAddress(trustedProxies: configuration.trustedProxies))
    let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: ObservingMiddleware(metrics: metrics))
    if let origins { router.add(middleware: origins) }
    router.add(middleware: admission)
    routes.add(to: router)
    let checks = DirectChecks(
        registry: registry, admission: admission, origins: origins, metrics: metrics, logger: logger)
    var application = Application(
        router: router, server: try server(configuration, drain, checks),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port), backlog: 1024,
            availableConnectionsDelegate: .maximum(limits.connections, logger: logger)),
        onServerRunning: { channel in
            drain.listen(on: channel)
            await onListening(channel.localAddress?.port ?? configuration.port)
        },
        logger: logger)
    application.addServices(WatchService(watches: watches), checks.tasks)
    return application
}

/// All routes, and the watches, which must be run as a service.
func serviceRoutes(
    registry: Registry, keys: KeyRing, configuration: ServerConfiguration, drain: Drain = Drain(),
    typingClock: some Clock<Duration> = ContinuousClock(), metrics: RequestMetrics = RequestMetrics()
) -> (Routes, Watches) {
    var routes = Routes()
    let limits = configuration.limits
    let debouncer = Debouncer<LiveSession, _>(pause: configuration.typingPause, clock: typingClock)
    // Streams stay open, so half of the connections are kept for other requests.
    let watches = Watches(registry, maxWatchers: limits.connections / 2)
    AvailabilityController(registry: registry, longestBatch: limits.batch).addRoutes(to: &routes)
    LiveController(registry: registry, debouncer: debouncer, load: drain.load, inFlight: limits.inFlight)
        .addRoutes(to: &routes)
    WatchController(registry: registry, watches: watches, life: configuration.streamLife).addRoutes(to: &routes)
    let streams = FeedStreams(registry)
    EventsController(registry: registry, streams: streams, life: configuration.streamLife).addRoutes(to: &routes)
    HoldsController(registry: registry).addRoutes(to: &routes)
    HandlesController(registry: registry).addRoutes(to: &routes)
    ResolveController(registry: registry, longestBatch: limits.batch).addRoutes(to: &routes)
    ReservationsController(registry: registry).addRoutes(to: &routes)
    OwnersController(registry: registry).addRoutes(to: &routes)
    HealthController(registry: registry, drain: drain).addRoutes(to: &routes)
    MetricsController(
        registry: registry, keys: keys, debouncer: debouncer, watches: watches, streams: streams, metrics: metrics,
        drain: drain
    ).addRoutes(to: &routes)
    ContractController().addRoutes(to: &routes)
    return (routes, watches)
}

/// An HTTP/1.1 server with the configured limits, over TLS if it is configured.
private func server(
    _ configuration: ServerConfiguration, _ drain: Drain, _ checks: DirectChecks
) throws -> HTTPServerBuilder {
    let limits = configuration.limits
    let shares = ConnectionShares(
        limits.connectionsPerAddress, of: limits.connections,
        except: configuration.trustedProxies + configuration.neighbours)
    let plain = HTTPServerBuilder.http1(
        configuration: .init(
            additionalChannelHandlers: [
                ConnectionAdmission(drain, shares), ProtocolProblemHandler(limits), ConnectionHandler(limits, drain),
                DirectCheckHandler(checks),
            ],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerFields)))
    return try configuration.tls?.secure(plain) ?? plain
}
