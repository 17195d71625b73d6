/// Maximum sizes of fields. Longer ones are refused before any other work.
enum RequestLimits {
    /// A typed handle, in code points. Handles are far shorter, but users may paste longer text.
    static let handleLength = 200
    /// The secret of a hold or an offer; the registry's own secrets have up to 38 bytes.
    static let holdBytes = 128
    /// The id of a typing session; a UUID has 36 bytes.
    static let sessionBytes = 128
    /// The value of `Idempotency-Key`.
    static let idempotencyKeyBytes = 255
    /// A moderator's reason for a change, in code points.
    static let reasonLength = 1000
    /// A person's name, in code points.
    static let nameLength = 256
}
