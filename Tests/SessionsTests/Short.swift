import Foundation
import Sessions

/// Short forms that the tests use.
extension SessionController {
    init(
        storage: any SessionStorage = MemoryStorage(), backend: (any AuthBackend)? = nil,
        clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) {
        var configuration = Configuration()
        configuration.clock = clock
        configuration.now = now
        configuration.report = report
        self.init(storage: storage, backend: backend, configuration: configuration)
    }
}

extension Credential {
    static func apple(idToken: String) -> Credential { .apple(AppleCredential(idToken: idToken)) }
}
