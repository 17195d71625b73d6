import HandleRegistry
import Logging

@testable import HandleServer

extension DirectChecks {
    /// Direct checks of a service without a socket.
    convenience init(
        of registry: Registry, load: ServerLoad = ServerLoad(), origins: PageOrigins = PageOrigins(),
        configure: (inout ServerLimits) -> Void = { _ in }
    ) {
        var limits = ServerLimits()
        configure(&limits)
        self.init(
            registry: registry,
            admission: Admission(
                authenticator: Authenticator(first: testKey, ring: KeyRing()), load: load, limits: limits,
                quotas: Quotas(remembered: 100),
                addresses: CallerAddress(trustedProxies: [])),
            origins: origins.isEmpty ? nil : PageOriginMiddleware(origins: origins), metrics: RequestMetrics(),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }
}
