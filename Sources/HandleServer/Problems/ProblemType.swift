package import HTTPTypes

/// The problem types, each with a stable code, an HTTP status and a title. The list is complete; docs/problems.md has
/// advice for each. The `type` of a problem document is derived from the code.
package enum ProblemType: String, Sendable, CaseIterable {
    // Reasons to refuse a name, in the order of `Reason`.
    case tooShort = "too_short"
    case tooLong = "too_long"
    case invalidCharacter = "invalid_character"
    case leadingUnderscore = "leading_underscore"
    case allDigits = "all_digits"
    case reservedWord = "reserved_word"
    case lookalike
    case taken
    case ownerFull = "owner_full"
    case tooManyChanges = "too_many_changes"
    case ownerLocked = "owner_locked"

    // Invalid requests.
    case malformedRequest = "malformed_request"
    case badRequest = "bad_request"
    case missingParameter = "missing_parameter"
    case invalidParameter = "invalid_parameter"
    case repeatedParameter = "repeated_parameter"
    case invalidEncoding = "invalid_encoding"
    case invalidText = "invalid_text"
    case inputTooLong = "input_too_long"
    case missingBody = "missing_body"
    case invalidJSON = "invalid_json"
    case missingField = "missing_field"
    case invalidField = "invalid_field"
    case invalidOwner = "invalid_owner"
    case tooManyHandles = "too_many_handles"
    case invalidIdempotencyKey = "invalid_idempotency_key"
    case requestTimeout = "request_timeout"
    case bodyTooLarge = "body_too_large"
    case addressTooLong = "address_too_long"
    case headersTooLarge = "headers_too_large"
    case tooDeep = "too_deep"

    // Authentication and authorisation.
    case noKey = "no_key"
    case wrongKey = "wrong_key"
    case tokensNotAccepted = "tokens_not_accepted"
    case unknownIssuer = "unknown_issuer"
    case missingScope = "missing_scope"
    case notYourOwn = "not_your_own"

    // Unknown resources, and conflicts with their state or with another request.
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case noSuchHandle = "no_such_handle"
    case feedOff = "feed_off"
    case cursorExpired = "cursor_expired"
    case notTheirs = "not_theirs"
    case preconditionFailed = "precondition_failed"
    case notForgotten = "not_forgotten"
    case displayMismatch = "display_mismatch"
    case superseded
    case inFlight = "in_flight"
    case idempotencyKeyReused = "idempotency_key_reused"

    // Limits, and failures of the service.
    case holdPaused = "hold_paused"
    case rateLimited = "rate_limited"
    case tooManyStreams = "too_many_streams"
    case slowReader = "slow_reader"
    case `internal`
    case overloaded
    case databaseUnavailable = "database_unavailable"
    case notReady = "not_ready"
    case keysUnavailable = "keys_unavailable"
    case draining
    case stopping

    /// The stable code.
    package var code: String { rawValue }

    /// The HTTP status of every response of this type.
    package var status: HTTPResponse.Status { facts.status }

    /// A short summary for people, the same for every problem of this type (RFC 9457, 3.1.3).
    package var title: String { facts.title }

    private var facts: (status: HTTPResponse.Status, title: String) {
        switch self {
        case .tooShort: (.unprocessableContent, "Name too short")
        case .tooLong: (.unprocessableContent, "Name too long")
        case .invalidCharacter: (.unprocessableContent, "Invalid character")
        case .leadingUnderscore: (.unprocessableContent, "Leading underscore")
        case .allDigits: (.unprocessableContent, "Digits only")
        case .reservedWord: (.unprocessableContent, "Reserved word")
        case .lookalike: (.unprocessableContent, "Look-alike of a protected name")
        case .taken: (.conflict, "Name taken")
        case .ownerFull: (.unprocessableContent, "Handle limit reached")
        case .tooManyChanges: (.unprocessableContent, "Too many handles given up")
        case .ownerLocked: (.forbidden, "Owner locked")
        case .malformedRequest: (.badRequest, "Malformed HTTP request")
        case .badRequest: (.badRequest, "Unreadable request")
        case .missingParameter: (.badRequest, "Missing parameter")
        case .invalidParameter: (.badRequest, "Invalid parameter")
        case .repeatedParameter: (.badRequest, "Repeated parameter")
        case .invalidEncoding: (.badRequest, "Invalid encoding")
        case .invalidText: (.badRequest, "NUL character in a name")
        case .inputTooLong: (.badRequest, "Input too long")
        case .missingBody: (.badRequest, "Missing body")
        case .invalidJSON: (.badRequest, "Invalid JSON")
        case .missingField: (.badRequest, "Missing field")
        case .invalidField: (.badRequest, "Invalid field")
        case .invalidOwner: (.badRequest, "Invalid owner id")
        case .tooManyHandles: (.badRequest, "Too many names in one request")
        case .invalidIdempotencyKey: (.badRequest, "Invalid Idempotency-Key")
        case .requestTimeout: (.requestTimeout, "Request timeout")
        case .bodyTooLarge: (.contentTooLarge, "Body too large")
        case .addressTooLong: (.uriTooLong, "URL too long")
        case .headersTooLarge: (.requestHeaderFieldsTooLarge, "Headers too large")
        case .tooDeep: (.badRequest, "Body nested too deeply")
        case .noKey: (.unauthorized, "Key required")
        case .wrongKey: (.unauthorized, "Key or token invalid")
        case .tokensNotAccepted: (.unauthorized, "Identity tokens not accepted")
        case .unknownIssuer: (.unauthorized, "Issuer not trusted")
        case .missingScope: (.forbidden, "Missing scope")
        case .notYourOwn: (.forbidden, "Not your handle")
        case .notFound: (.notFound, "Not found")
        case .methodNotAllowed: (.methodNotAllowed, "Method not allowed")
        case .noSuchHandle: (.notFound, "Handle not claimed")
        case .feedOff: (.notFound, "Feed off")
        case .cursorExpired: (.gone, "Cursor expired")
        case .notTheirs: (.conflict, "Another owner's handle")
        case .preconditionFailed: (.preconditionFailed, "Precondition failed")
        case .notForgotten: (.conflict, "Owner not forgotten")
        case .displayMismatch: (.unprocessableContent, "Display handle mismatch")
        case .superseded: (.conflict, "Superseded by a newer request")
        case .inFlight: (.conflict, "Request already in progress")
        case .idempotencyKeyReused: (.unprocessableContent, "Idempotency-Key reused")
        case .holdPaused: (.tooManyRequests, "Too soon to hold again")
        case .rateLimited: (.tooManyRequests, "Rate limit exceeded")
        case .tooManyStreams: (.tooManyRequests, "Too many streams")
        case .slowReader: (.serviceUnavailable, "Slow reader")
        case .internal: (.internalServerError, "Internal error")
        case .overloaded: (.serviceUnavailable, "Service overloaded")
        case .databaseUnavailable: (.serviceUnavailable, "Database unavailable")
        case .notReady: (.serviceUnavailable, "Service not ready")
        case .keysUnavailable: (.serviceUnavailable, "Issuer keys unavailable")
        case .draining: (.serviceUnavailable, "Service draining")
        case .stopping: (.serviceUnavailable, "Service stopping")
        }
    }
}
