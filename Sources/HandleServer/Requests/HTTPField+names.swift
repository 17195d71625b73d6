import HTTPTypes

/// Names of fields that the library does not define.
extension HTTPField.Name {
    static let forwardedFor = known("X-Forwarded-For")
    static let idempotencyKey = known("Idempotency-Key")
    /// The `id` of the last event that an event source has received.
    static let lastEventID = known("Last-Event-ID")
    static let rateLimit = known("RateLimit")
    static let rateLimitPolicy = known("RateLimit-Policy")
    static let requestID = known("X-Request-Id")
    static let traceParent = known("traceparent")
    /// nginx buffers streams unless this field says `no`.
    static let accelBuffering = known("X-Accel-Buffering")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not a valid field name") }
        return name
    }
}
