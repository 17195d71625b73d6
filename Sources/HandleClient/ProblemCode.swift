/// The code of a problem, or of a reason. A newer service may send codes that are not listed here, so a `switch` over a
/// code needs a `default`.
public struct ProblemCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    private init(_ rawValue: String) { self.init(rawValue: rawValue) }
}

/// The codes in the contract of the service.
extension ProblemCode {
    // The name is refused.
    /// Fewer than 3 characters (status 422).
    public static let tooShort = ProblemCode("too_short")
    /// More than 15 characters (status 422).
    public static let tooLong = ProblemCode("too_long")
    /// A character other than a letter, digit or underscore (status 422).
    public static let invalidCharacter = ProblemCode("invalid_character")
    /// The first character is an underscore (status 422).
    public static let leadingUnderscore = ProblemCode("leading_underscore")
    /// All characters are digits (status 422).
    public static let allDigits = ProblemCode("all_digits")
    /// The name is a reserved or offensive word, or a disguise of one (status 422).
    public static let reservedWord = ProblemCode("reserved_word")
    /// The name looks like a protected name (status 422).
    public static let lookalike = ProblemCode("lookalike")
    /// The name is held, claimed, reserved or in quarantine (status 409).
    public static let taken = ProblemCode("taken")
    /// The owner has the maximum number of names (status 422).
    public static let ownerFull = ProblemCode("owner_full")
    /// The owner has given up too many names, which are kept for it, to get a further one now (status 422).
    public static let tooManyChanges = ProblemCode("too_many_changes")
    /// A moderator has locked the owner, so it can't get or change names (status 403).
    public static let ownerLocked = ProblemCode("owner_locked")

    // The request is invalid.
    /// The request is not valid HTTP/1.1 (status 400).
    public static let malformedRequest = ProblemCode("malformed_request")
    /// The request can't be read for a reason without a code of its own (status 400).
    public static let badRequest = ProblemCode("bad_request")
    /// The query lacks a parameter (status 400).
    public static let missingParameter = ProblemCode("missing_parameter")
    /// A query parameter has an invalid value, or is unknown in a write (status 400).
    public static let invalidParameter = ProblemCode("invalid_parameter")
    /// A query parameter appears more than once (status 400).
    public static let repeatedParameter = ProblemCode("repeated_parameter")
    /// The URL is not percent-encoded correctly, or a text is not UTF-8 (status 400).
    public static let invalidEncoding = ProblemCode("invalid_encoding")
    /// A name has the NUL character (status 400).
    public static let invalidText = ProblemCode("invalid_text")
    /// A handle has more than 200 characters, or a person's name more than 256 (status 400).
    public static let inputTooLong = ProblemCode("input_too_long")
    /// The call needs a body (status 400).
    public static let missingBody = ProblemCode("missing_body")
    /// The body is not strictly valid JSON, or an object has a member twice (status 400).
    public static let invalidJSON = ProblemCode("invalid_json")
    /// The body lacks a member (status 400).
    public static let missingField = ProblemCode("missing_field")
    /// A member of the body has an invalid value or is unknown (status 400).
    public static let invalidField = ProblemCode("invalid_field")
    /// The owner's id breaks the rule for ids (status 400).
    public static let invalidOwner = ProblemCode("invalid_owner")
    /// A batch has more than 1,000 names, more than the quota allows, or too many reasons (status 400).
    public static let tooManyHandles = ProblemCode("too_many_handles")
    /// The `Idempotency-Key` is not 1 to 255 printable ASCII characters without spaces (status 400).
    public static let invalidIdempotencyKey = ProblemCode("invalid_idempotency_key")
    /// The request was not complete before the timeout; nothing has changed (status 408).
    public static let requestTimeout = ProblemCode("request_timeout")
    /// The body has more bytes than the service reads (status 413).
    public static let bodyTooLarge = ProblemCode("body_too_large")
    /// The URL is longer than the service reads (status 414).
    public static let addressTooLong = ProblemCode("address_too_long")
    /// The header fields are too many or too large (status 431).
    public static let headersTooLarge = ProblemCode("headers_too_large")
    /// The body nests arrays and objects too deeply (status 400).
    public static let tooDeep = ProblemCode("too_deep")

    // Authentication, authorisation and conflicts.
    /// The call needs a credential, and has none (status 401).
    public static let noKey = ProblemCode("no_key")
    /// The key or token is unknown, expired or otherwise invalid (status 401).
    public static let wrongKey = ProblemCode("wrong_key")
    /// The service accepts no identity tokens (status 401).
    public static let tokensNotAccepted = ProblemCode("tokens_not_accepted")
    /// The service does not trust the issuer of the token (status 401).
    public static let unknownIssuer = ProblemCode("unknown_issuer")
    /// The key lacks the scope of the call, or a token made a call for keys (status 403).
    public static let missingScope = ProblemCode("missing_scope")
    /// The token is of another person than the owner of the call (status 403).
    public static let notYourOwn = ProblemCode("not_your_own")
    /// No call has this URL; the base address of the client may be wrong (status 404).
    public static let notFound = ProblemCode("not_found")
    /// The URL does not support the method (status 405).
    public static let methodNotAllowed = ProblemCode("method_not_allowed")
    /// The name is not claimed, or the caller may not see its record (status 404).
    public static let noSuchHandle = ProblemCode("no_such_handle")
    /// The feed is off, so it has no events (status 404).
    public static let feedOff = ProblemCode("feed_off")
    /// The feed no longer has all events after this number; begin again with an export (status 410).
    public static let cursorExpired = ProblemCode("cursor_expired")
    /// The name belongs to another owner (status 409).
    public static let notTheirs = ProblemCode("not_theirs")
    /// The name has another version or owner than the call expects; nothing has changed (status 412).
    public static let preconditionFailed = ProblemCode("precondition_failed")
    /// The owner still has names, because other requests added them (status 409).
    public static let notForgotten = ProblemCode("not_forgotten")
    /// The display handle differs from the handle by more than capitals (status 422).
    public static let displayMismatch = ProblemCode("display_mismatch")
    /// A later live check of the same session has arrived (status 409).
    public static let superseded = ProblemCode("superseded")
    /// The first request with this `Idempotency-Key` is still running; ``RegistryClient`` retries (status 409).
    public static let inFlight = ProblemCode("in_flight")
    /// The `Idempotency-Key` was used for another request within 24 hours (status 422).
    public static let idempotencyKeyReused = ProblemCode("idempotency_key_reused")
    /// The owner's hold of the name ended recently; the owner may claim the name at once (status 429).
    public static let holdPaused = ProblemCode("hold_paused")
    /// The quota of the caller is used up (status 429).
    public static let rateLimited = ProblemCode("rate_limited")
    /// The caller, or its network, has the maximum number of open streams (status 429).
    public static let tooManyStreams = ProblemCode("too_many_streams")
    /// The events of a stream were read too slowly; ``HandleEventStream`` reconnects (status 503).
    public static let slowReader = ProblemCode("slow_reader")

    // The service can't answer now.
    /// The service failed on this request, and has logged it with the request's id (status 500).
    public static let `internal` = ProblemCode("internal")
    /// The service has too much to do; nothing has changed (status 503).
    public static let overloaded = ProblemCode("overloaded")
    /// The database can't be used now; a write may have taken effect (status 503).
    public static let databaseUnavailable = ProblemCode("database_unavailable")
    /// The database lacks the schema that the service needs (status 503).
    public static let notReady = ProblemCode("not_ready")
    /// The service has not read the issuer's keys yet, so it can't check the token (status 503).
    public static let keysUnavailable = ProblemCode("keys_unavailable")
    /// The service will stop soon; only its readiness check answers this (status 503).
    public static let draining = ProblemCode("draining")
    /// The service is stopping (status 503).
    public static let stopping = ProblemCode("stopping")
}
