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
    public static let tooShort = ProblemCode("too_short")
    public static let tooLong = ProblemCode("too_long")
    public static let invalidCharacter = ProblemCode("invalid_character")
    public static let leadingUnderscore = ProblemCode("leading_underscore")
    public static let allDigits = ProblemCode("all_digits")
    public static let reservedWord = ProblemCode("reserved_word")
    public static let lookalike = ProblemCode("lookalike")
    public static let taken = ProblemCode("taken")
    public static let ownerFull = ProblemCode("owner_full")

    // The request is invalid.
    public static let malformedRequest = ProblemCode("malformed_request")
    public static let badRequest = ProblemCode("bad_request")
    public static let missingParameter = ProblemCode("missing_parameter")
    public static let invalidParameter = ProblemCode("invalid_parameter")
    public static let repeatedParameter = ProblemCode("repeated_parameter")
    public static let invalidEncoding = ProblemCode("invalid_encoding")
    public static let invalidText = ProblemCode("invalid_text")
    public static let inputTooLong = ProblemCode("input_too_long")
    public static let missingBody = ProblemCode("missing_body")
    public static let invalidJSON = ProblemCode("invalid_json")
    public static let missingField = ProblemCode("missing_field")
    public static let invalidField = ProblemCode("invalid_field")
    public static let invalidOwner = ProblemCode("invalid_owner")
    public static let tooManyHandles = ProblemCode("too_many_handles")
    public static let invalidIdempotencyKey = ProblemCode("invalid_idempotency_key")
    public static let requestTimeout = ProblemCode("request_timeout")
    public static let bodyTooLarge = ProblemCode("body_too_large")
    public static let addressTooLong = ProblemCode("address_too_long")
    public static let headersTooLarge = ProblemCode("headers_too_large")
    public static let tooDeep = ProblemCode("too_deep")

    // Authentication, authorisation and conflicts.
    public static let noKey = ProblemCode("no_key")
    public static let wrongKey = ProblemCode("wrong_key")
    public static let tokensNotAccepted = ProblemCode("tokens_not_accepted")
    public static let unknownIssuer = ProblemCode("unknown_issuer")
    public static let missingScope = ProblemCode("missing_scope")
    public static let notYourOwn = ProblemCode("not_your_own")
    public static let notFound = ProblemCode("not_found")
    public static let methodNotAllowed = ProblemCode("method_not_allowed")
    public static let noSuchHandle = ProblemCode("no_such_handle")
    public static let notTheirs = ProblemCode("not_theirs")
    public static let preconditionFailed = ProblemCode("precondition_failed")
    public static let notForgotten = ProblemCode("not_forgotten")
    public static let displayMismatch = ProblemCode("display_mismatch")
    public static let superseded = ProblemCode("superseded")
    public static let inFlight = ProblemCode("in_flight")
    public static let idempotencyKeyReused = ProblemCode("idempotency_key_reused")
    public static let holdPaused = ProblemCode("hold_paused")
    public static let rateLimited = ProblemCode("rate_limited")
    public static let tooManyStreams = ProblemCode("too_many_streams")

    // The service can't answer now.
    public static let `internal` = ProblemCode("internal")
    public static let overloaded = ProblemCode("overloaded")
    public static let databaseUnavailable = ProblemCode("database_unavailable")
    public static let notReady = ProblemCode("not_ready")
    public static let keysUnavailable = ProblemCode("keys_unavailable")
    public static let draining = ProblemCode("draining")
    public static let stopping = ProblemCode("stopping")
}
