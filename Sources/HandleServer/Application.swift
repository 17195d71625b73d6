public import HandleRegistry
public import Hummingbird
public import Logging

/// Where and how the service listens.
public struct ServerConfiguration: Sendable {
    public var host = "127.0.0.1"
    /// 0 for any that is free.
    public var port = 8080

    public init() {}
}

/// The service: everything is put together here.
/// - Parameter onListening: called once with the port that connections are taken on.
public func buildApplication(
    registry: Registry, keys: AccessKeys, configuration: ServerConfiguration, logger: Logger,
    onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    var routes = Routes<BasicRequestContext>()
    AvailabilityController(registry: registry, keys: keys).addRoutes(to: &routes)
    HoldsController(registry: registry, keys: keys).addRoutes(to: &routes)
    HandlesController(registry: registry, keys: keys).addRoutes(to: &routes)
    HealthController(registry: registry).addRoutes(to: &routes)
    return Application(
        router: routes.router(),
        server: .http1(configuration: .init(additionalChannelHandlers: [ProtocolProblemHandler()])),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port), backlog: 1024),
        onServerRunning: { channel in await onListening(channel.localAddress?.port ?? configuration.port) },
        logger: logger)
}
