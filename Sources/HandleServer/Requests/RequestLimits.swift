/// How much of a field is read. More is refused before any work is done on it.
enum RequestLimits {
    /// A typed handle, in code points; no spelling of a handle is near as long, but a person's paste may be.
    static let handleLength = 200
    /// The secret of a hold; ours have 37.
    static let holdBytes = 128
    /// What a page calls its typing session; a UUID has 36.
    static let sessionBytes = 128
    /// A key by which a request is known when it is sent again.
    static let idempotencyKeyBytes = 255
    /// A person's name, in code points.
    static let nameLength = 256
}
