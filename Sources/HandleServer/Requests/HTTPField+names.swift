import HTTPTypes

/// The names of fields that the library does not know.
extension HTTPField.Name {
    static let forwardedFor = known("X-Forwarded-For")
    static let idempotencyKey = known("Idempotency-Key")
    static let rateLimit = known("RateLimit")
    static let rateLimitPolicy = known("RateLimit-Policy")
    static let requestID = known("X-Request-Id")
    static let traceParent = known("traceparent")
    /// Proxies of one well-known kind hold streams back unless they are told.
    static let accelBuffering = known("X-Accel-Buffering")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not a valid field name") }
        return name
    }
}
