package import HandleClient

extension RegistryClient.Limits {
    /// Limits for calls of a real service, which may take long on a busy machine.
    package static var patient: Self {
        var limits = Self()
        (limits.answer, limits.budget) = (.seconds(60), .seconds(240))
        return limits
    }

    /// Limits for a client that sends each call once.
    package static var once: Self {
        var limits = Self()
        limits.attempts = 1
        return limits
    }
}

extension URLSessionTransport {
    /// Waits as long, so that a busy machine makes no answer count as lost.
    package static var patient: Self { Self(timeout: .seconds(60)) }
}
